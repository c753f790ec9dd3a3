/** Exports for the command line: starts the server and checks its requirements. */
export type { AttachmentTools } from "./runs/files/attachment-tools.ts";
export { secretHeaders } from "./http/tools/request-data.ts";
export type { HostedTools } from "./http/services.ts";
export { inspectRedis } from "./runs/dispatch/inspect-redis.ts";
export { postMessage } from "./webhooks/post-message.ts";
export { isSigningSecret } from "./webhooks/sign-message.ts";
export type { WebhookEndpoint } from "./webhooks/webhook-endpoint.ts";
export { isLoopback } from "./app.ts";
export { type ApprovalsSetting, defaultApprovalsFrom } from "./app.ts";
export { localPrincipal } from "./http/services.ts";
export {
  type ConnectedProgram,
  openProgramKeys,
  programFolder,
  type ProgramKeys,
  programPrincipal,
} from "./http/credentials/program-keys.ts";
export { pairingLink, terminalKeyFile } from "./http/credentials/pairing.ts";
export {
  type Agent,
  agentLoosens,
  agentName,
  type Agents,
  agentSchema,
} from "./runs/request/agent.ts";
export { smallVector } from "./search/vector-code.ts";
export { createVectorStores } from "./search/vector-stores.ts";
export type { ClientApproves, McpOptions } from "./mcp/mcp-options.ts";
export { type Right, type RouteRight, routeRights } from "./http/rights.ts";
export { searchGroup, searchTool, searchTools } from "./tool-search/search-tools.ts";
export { defaultServerLimits, type ServerLimits } from "./runs/request/run-limits.ts";
export {
  type RunningServer,
  type ServerOptions,
  startServer,
  type StopSummary,
} from "./start-server.ts";
