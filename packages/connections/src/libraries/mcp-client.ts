// The build bundles the library's code into this module.
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
  CreateMessageRequest,
  ElicitRequest,
  ElicitResult,
  JSONRPCMessage,
  PriorDiscovery,
  Transport,
} from "@modelcontextprotocol/client";
