// Builds of the package contain this module with the library's code.
export {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
export type {
  ClientCapabilities,
  ElicitRequest,
  ElicitResult,
  FetchLike,
  JSONRPCMessage,
  PriorDiscovery,
  Transport,
} from "@modelcontextprotocol/client";
