// Builds of the package contain this module with the library's code.
export {
  checkResourceAllowed,
  Client,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  OAuthError,
  ProtocolError,
  refreshAuthorization,
  registerClient,
  resourceUrlFromServerUrl,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  selectClientAuthMethod,
  startAuthorization,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
export type {
  ClientCapabilities,
  ElicitRequest,
  ElicitResult,
  JSONRPCMessage,
  PriorDiscovery,
  Transport,
} from "@modelcontextprotocol/client";
