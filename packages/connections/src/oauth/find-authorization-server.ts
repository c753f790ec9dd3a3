import { errorMessage } from "@capstan/core/host";
import { type AuthorizationServer, authorizationServer } from "../credentials/credential.ts";
import type { OAuthSettings } from "../definition/connection.ts";
import type { FetchLike } from "../transport/fetch-like.ts";
import { checkEndpoint } from "./check-endpoint.ts";
import { SignInError } from "./sign-in-error.ts";

/** The authorization server of a connection, as discovery found it. */
export interface FoundServer {
  readonly server: AuthorizationServer;
  /** The resource indicator of the connection's server. */
  readonly resource?: string;
  /** The scopes to request, separated by spaces. */
  readonly scope?: string;
  /** All scopes that a client may need later. */
  readonly allScopes?: string;
  readonly registrationEndpoint?: string;
  readonly deviceEndpoint?: string;
  /** Whether it accepts a URL as the client's id, and reads the client's metadata there. */
  readonly readsClientDocuments: boolean;
}

/**
 * Finds the authorization server of an MCP server: from its challenge and its metadata.
 *
 * @throws SignInError
 */
export async function findAuthorizationServer(options: {
  readonly name: string;
  readonly url: URL;
  readonly settings: OAuthSettings;
  readonly fetch: FetchLike;
  /** Scopes that the server demanded in addition. */
  readonly wantedScope?: string | undefined;
}): Promise<FoundServer> {
  const { name, url, settings, fetch, wantedScope } = options;
  const library = await import("../libraries/mcp-client.ts");
  const challenge = await readChallenge(url, fetch, library.extractWWWAuthenticateParams);
  const protectedResource = await library
    .discoverOAuthProtectedResourceMetadata(
      url,
      challenge.resourceMetadataUrl === undefined
        ? {}
        : { resourceMetadataUrl: challenge.resourceMetadataUrl },
      fetch,
    )
    .catch(() => undefined);
  const own = library.resourceUrlFromServerUrl(url);
  if (
    protectedResource !== undefined &&
    !library.checkResourceAllowed({
      requestedResource: own,
      configuredResource: protectedResource.resource,
    })
  )
    throw new SignInError(
      "unsafe_address",
      `The server of ${name} claims to be the resource ${protectedResource.resource.slice(0, 200)}, but its address is ${own.href}. Its tokens would belong to another service, so no sign-in was started.`,
    );
  const listed = protectedResource?.authorization_servers ?? [];
  const issuer = settings.issuer ?? listed[0] ?? new URL("/", url).href;
  const named = [url.host, ...(settings.issuer ? [new URL(settings.issuer).host] : [])];
  checkEndpoint(issuer, named);
  const metadata = await library
    .discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch })
    .catch((thrown: unknown) => {
      throw new SignInError(
        "no_authorization_server",
        `The authorization server ${issuer.slice(0, 200)} of ${name} cannot be used: ${errorMessage(thrown).slice(0, 300)}`,
        { cause: thrown },
      );
    });
  if (metadata === undefined)
    throw new SignInError(
      "no_authorization_server",
      `The server of ${name} offers no sign-in with OAuth: ${issuer.slice(0, 200)} has no metadata of an authorization server. If it needs a key, enter it: capstan connections login ${name} --key`,
    );
  const read = authorizationServer.safeParse(metadata);
  if (!read.success || !(metadata.code_challenge_methods_supported ?? []).includes("S256"))
    throw new SignInError(
      "no_authorization_server",
      `The authorization server ${issuer.slice(0, 200)} of ${name} does not support the authorization code flow with PKCE (S256), which is required.`,
    );
  const raw = metadata as { readonly [key: string]: unknown };
  const deviceEndpoint = raw["device_authorization_endpoint"];
  const server = read.data;
  for (const endpoint of [
    server.authorization_endpoint,
    server.token_endpoint,
    server.revocation_endpoint,
    metadata.registration_endpoint,
    deviceEndpoint,
  ])
    if (typeof endpoint === "string") checkEndpoint(endpoint, named);
  const offline = metadata.scopes_supported?.includes("offline_access") ? "offline_access" : "";
  const supported = protectedResource?.scopes_supported?.join(" ");
  const asked = settings.scope ?? challenge.scope ?? supported ?? "";
  const scope = union(asked, wantedScope ?? "", offline);
  const allScopes = union(scope, supported ?? "");
  const resource =
    settings.resource === false
      ? undefined
      : (settings.resource ?? protectedResource?.resource ?? own.href);
  return {
    server,
    ...(resource !== undefined && { resource }),
    ...(scope !== "" && { scope }),
    ...(allScopes !== "" && { allScopes }),
    ...(metadata.registration_endpoint !== undefined && {
      registrationEndpoint: metadata.registration_endpoint,
    }),
    ...(typeof deviceEndpoint === "string" && { deviceEndpoint }),
    readsClientDocuments: raw["client_id_metadata_document_supported"] === true,
  };
}

/** Sends a request without a credential, and reads the challenge of its rejection. */
async function readChallenge(
  url: URL,
  fetch: FetchLike,
  read: (response: Response) => { resourceMetadataUrl?: URL; scope?: string },
): Promise<{ readonly resourceMetadataUrl?: URL; readonly scope?: string }> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" }),
    });
    await response.body?.cancel();
    return response.status === 401 ? read(response) : {};
  } catch {
    return {};
  }
}

function union(...scopes: readonly string[]): string {
  return [...new Set(scopes.flatMap((scope) => scope.split(" ")))].filter(Boolean).join(" ");
}
