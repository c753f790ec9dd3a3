// Builds of the package contain this module with the library's code.
export {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  isInitializeRequest,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
export type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  InputRequiredResult,
  McpHttpHandler,
  Prompt,
  Resource,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";
