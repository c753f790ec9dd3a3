/** For tests of other packages: an MCP server with an authorization server. */
export { type OAuthServers, signInAs, startOAuthServers } from "./oauth-servers.ts";
