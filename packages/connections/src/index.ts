/** For the composition root: MCP servers and OpenAPI services as tool groups. */
export type { Connection, HttpConnection, ProgramConnection } from "./definition/connection.ts";
export { ownUrls } from "./definition/private-hosts.ts";
export type { ToolChanges } from "./definition/compare-tools.ts";
export type { ServerTool } from "./definition/server-tool.ts";
export type {
  CredentialAnswer,
  CredentialSource,
  RequestCredential,
} from "./credentials/credential-source.ts";
export { type Credentials, openCredentials, type Refresh } from "./credentials/open-credentials.ts";
export type {
  SecretKey,
  SecretSealer,
  SecretState,
  SecretStore,
  StoredSecret,
} from "./credentials/secret-store.ts";
export { withOAuthFetch } from "./oauth/oauth-fetch.ts";
export { refreshToken } from "./oauth/request-token.ts";
export {
  type AddedConnectionStore,
  openConnectionService,
} from "./service/open-connection-service.ts";
export type {
  BasicCredential,
  OpenApiConnection,
} from "./openapi/definition/openapi-connection.ts";
export { isUrl } from "./openapi/definition/openapi-connection.ts";
export type { ConnectionStatus } from "./manage/connection-status.ts";
export type { Connections } from "./manage/connections.ts";
export type { FindModel } from "./tools/model-tool.ts";
export { openConnections } from "./open-connections.ts";
export type { RequestServerSettings } from "./request/allow-server.ts";
export { openRequestServers } from "./request/open-request-servers.ts";
