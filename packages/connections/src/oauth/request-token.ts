import { errorMessage } from "@capstan/core/host";
import type { AuthorizationServer, OAuthClient, TokenSet } from "../credentials/credential.ts";
import type { RefreshableCredential, RefreshOutcome } from "../credentials/open-credentials.ts";
import { withoutSecrets } from "../definition/connection.ts";
import type { FetchLike } from "../transport/fetch-like.ts";

/** The reply of a token endpoint, as the library reads it. */
interface TokenReply {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
  readonly scope?: string | undefined;
}

/** Errors of a token endpoint after which the same request never succeeds. */
const final = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "invalid_scope",
  "invalid_target",
  "access_denied",
]);

/** Returns the tokens of a reply. Takes parts that the reply lacks from `before`. */
export function tokensOf(reply: TokenReply, now: number, before: Partial<TokenSet> = {}): TokenSet {
  const refreshToken = reply.refresh_token ?? before.refreshToken;
  const scope = reply.scope ?? before.scope;
  return {
    accessToken: reply.access_token,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(reply.expires_in !== undefined && { expiresAt: now + reply.expires_in * 1_000 }),
    ...(scope !== undefined && { scope }),
  };
}

/** Requests a new access token with a refresh token, or with the client's own credentials. */
export async function refreshToken(
  given: RefreshableCredential,
  options: { readonly fetch: FetchLike; readonly now: () => number },
): Promise<RefreshOutcome> {
  const { fetch, now } = options;
  const { server, client, resource, tokens } = given;
  const { refreshAuthorization, OAuthError } = await import("../libraries/mcp-client.ts");
  const known = [client.client_secret, tokens?.accessToken, tokens?.refreshToken];
  const secrets = known.filter((one) => one !== undefined);
  try {
    if (given.type === "client_credentials") {
      const reply = await requestToken(
        server,
        client,
        {
          grant_type: "client_credentials",
          ...(given.scope !== undefined && { scope: given.scope }),
          ...(resource !== undefined && { resource }),
        },
        fetch,
      );
      return { status: "refreshed", tokens: tokensOf(reply, now()) };
    }
    if (tokens?.refreshToken === undefined)
      return { status: "rejected", reason: "there is no refresh token" };
    const reply = await refreshAuthorization(server.issuer, {
      metadata: server,
      clientInformation: client,
      refreshToken: tokens.refreshToken,
      ...(resource !== undefined && { resource }),
      fetchFn: fetch,
    });
    return { status: "refreshed", tokens: tokensOf(reply, now(), tokens) };
  } catch (thrown) {
    const isFinal = thrown instanceof OAuthError && final.has(thrown.code);
    const reason = withoutSecrets(errorMessage(thrown), secrets).slice(0, 200);
    return { status: isFinal ? "rejected" : "failed", reason };
  }
}

/**
 * Sends a request to a token endpoint, for the grants that the library does not have.
 *
 * @throws the library's `OAuthError`
 */
export async function requestToken(
  server: AuthorizationServer,
  client: OAuthClient,
  parameters: { readonly [name: string]: string },
  fetch: FetchLike,
): Promise<TokenReply> {
  const { OAuthError, selectClientAuthMethod } = await import("../libraries/mcp-client.ts");
  const body = new URLSearchParams(parameters);
  const headers = new Headers({
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  });
  const { token_endpoint_auth_methods_supported: supported = [] } = server;
  authenticate(selectClientAuthMethod(client, supported), client, { headers, body });
  const response = await fetch(server.token_endpoint, { method: "POST", headers, body });
  const reply: unknown = await response.json().catch(() => undefined);
  const fields = (reply ?? {}) as { readonly [key: string]: unknown };
  if (response.ok && typeof fields["access_token"] === "string")
    return {
      access_token: fields["access_token"],
      ...(typeof fields["refresh_token"] === "string" && {
        refresh_token: fields["refresh_token"],
      }),
      ...(Number.isFinite(Number(fields["expires_in"])) && {
        expires_in: Number(fields["expires_in"]),
      }),
      ...(typeof fields["scope"] === "string" && { scope: fields["scope"] }),
    };
  const { error, error_description: about } = fields;
  throw new OAuthError(
    typeof error === "string" ? error : "server_error",
    typeof about === "string" ? about : `The token endpoint answered with ${response.status}.`,
  );
}

/** Adds the authentication of a client to a request. */
export function authenticate(
  method: "client_secret_basic" | "client_secret_post" | "none",
  { client_id: id, client_secret: secret = "" }: OAuthClient,
  { headers, body }: { readonly headers: Headers; readonly body: URLSearchParams },
): void {
  if (method === "client_secret_basic") {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
    return;
  }
  body.set("client_id", id);
  if (method === "client_secret_post") body.set("client_secret", secret);
}
