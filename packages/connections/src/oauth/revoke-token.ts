import type { Credential } from "../credentials/credential.ts";
import type { FetchLike } from "../transport/fetch-like.ts";
import { authenticate } from "./request-token.ts";

/**
 * Revokes the tokens of a credential at its authorization server.
 *
 * @returns whether the server has revoked them; undefined if it offers no revocation
 */
export async function revokeToken(
  given: Credential,
  fetch: FetchLike,
): Promise<boolean | undefined> {
  if (given.type !== "oauth" && given.type !== "client_credentials") return undefined;
  const { server, client, tokens } = given;
  if (server.revocation_endpoint === undefined || tokens === undefined) return undefined;
  const { selectClientAuthMethod } = await import("../libraries/mcp-client.ts");
  const { token_endpoint_auth_methods_supported: supported = [] } = server;
  // A server revokes the access tokens of a refresh token, too.
  const kinds = [
    ["refresh_token", tokens.refreshToken],
    ["access_token", tokens.accessToken],
  ] as const;
  let isRevoked = true;
  for (const [kind, token] of kinds) {
    if (token === undefined) continue;
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
    const body = new URLSearchParams({ token, token_type_hint: kind });
    authenticate(selectClientAuthMethod(client, supported), client, { headers, body });
    try {
      const response = await fetch(server.revocation_endpoint, { method: "POST", headers, body });
      await response.body?.cancel();
      isRevoked &&= response.ok;
    } catch {
      isRevoked = false;
    }
  }
  return isRevoked;
}
