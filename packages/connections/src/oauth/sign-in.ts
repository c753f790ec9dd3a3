import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { z } from "zod";
import { authorizationServer, type OAuthClient, oauthClient } from "../credentials/credential.ts";
import { type Credentials, openSecret, sealSecret } from "../credentials/open-credentials.ts";
import type { SecretKey, SecretSealer, SecretStore } from "../credentials/secret-store.ts";
import { type HttpConnection, withoutSecrets } from "../definition/connection.ts";
import type { FetchLike } from "../transport/fetch-like.ts";
import { checkEndpoint, checkRedirect, isLoopbackName } from "./check-endpoint.ts";
import { findAuthorizationServer, type FoundServer } from "./find-authorization-server.ts";
import { requestToken, tokensOf } from "./request-token.ts";
import { SignInError } from "./sign-in-error.ts";

/** Time within which a user must complete a sign-in, in ms. */
const signInMs = 10 * 60_000;

/** The next step of a user who signs in. */
export type StartedSignIn =
  | {
      readonly type: "redirect";
      /** The address that the user's browser opens. */
      readonly url: string;
      readonly state: string;
    }
  | {
      readonly type: "device";
      /** The address at which the user enters the code. */
      readonly url: string;
      readonly userCode: string;
      readonly state: string;
      readonly intervalSeconds: number;
    };

/** The result of a sign-in. `waiting`: the user has not entered the code yet. */
export type FinishedSignIn =
  | { readonly status: "signed_in"; readonly connection: string; readonly issuer: string }
  | { readonly status: "waiting"; readonly intervalSeconds: number };

const pending = z.object({
  /** The owner of the credential: the principal, or an empty text for all users. */
  credentialOwner: z.string(),
  server: authorizationServer,
  client: oauthClient,
  resource: z.string().exactOptional(),
  scope: z.string().exactOptional(),
  flow: z.discriminatedUnion("type", [
    z.object({
      type: z.literal("redirect"),
      codeVerifier: z.string(),
      redirectUri: z.string(),
    }),
    z.object({
      type: z.literal("device"),
      deviceCode: z.string(),
      intervalSeconds: z.number(),
    }),
  ]),
});

type Pending = z.infer<typeof pending>;

/**
 * Opens the sign-ins of users. A sign-in belongs to the principal who started it, can be completed
 * once, on any node, and ends after ten minutes.
 *
 * @param options.publicUrl the address at which users open the page. @default only this machine's
 */
export function openSignIns(options: {
  readonly store: SecretStore;
  readonly sealer: SecretSealer;
  readonly credentials: Pick<Credentials, "set" | "read">;
  readonly clock: Pick<Clock, "now">;
  readonly publicUrl?: string | undefined;
}) {
  const { store, sealer, credentials, clock, publicUrl } = options;
  const clientDocument =
    publicUrl?.startsWith("https://") === true
      ? new URL("/connections/client.json", publicUrl).href
      : undefined;

  async function clientFor(
    connection: HttpConnection,
    found: FoundServer,
    fetch: FetchLike,
    redirectUri?: string,
  ): Promise<OAuthClient> {
    const { clientId, clientSecret } = connection.oauth ?? {};
    if (clientId !== undefined)
      return {
        client_id: clientId,
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
      };
    const isPublic = redirectUri !== undefined && !isLoopbackName(new URL(redirectUri).hostname);
    if (found.readsClientDocuments && clientDocument !== undefined && isPublic)
      return { client_id: clientDocument };
    if (found.registrationEndpoint === undefined)
      throw new SignInError(
        "client_needed",
        `The authorization server ${found.server.issuer} does not support dynamic client registration. Register Capstan there${redirectUri === undefined ? "" : ` with the redirect address ${redirectUri}`}, and set "clientId" in "oauth" of the connection ${connection.name}.`,
      );
    const { registerClient } = await import("../libraries/mcp-client.ts");
    const isDevice = redirectUri === undefined;
    const registered = await registerClient(found.server.issuer, {
      metadata: { ...found.server, registration_endpoint: found.registrationEndpoint },
      clientMetadata: {
        client_name: "Capstan",
        redirect_uris: isDevice ? [] : [redirectUri],
        grant_types: [isDevice ? deviceGrant : "authorization_code", "refresh_token"],
        response_types: isDevice ? [] : ["code"],
        token_endpoint_auth_method: "none",
        application_type: isPublic ? "web" : "native",
      },
      ...(found.allScopes !== undefined && { scope: found.allScopes }),
      fetchFn: fetch,
    }).catch((thrown: unknown) => {
      throw new SignInError(
        "client_needed",
        `The authorization server ${found.server.issuer} does not register Capstan as a client: ${errorMessage(thrown).slice(0, 300)}. Register it there, and set "clientId" in "oauth" of the connection ${connection.name}.`,
        { cause: thrown },
      );
    });
    const { client_id, client_secret } = registered;
    return { client_id, ...(client_secret !== undefined && { client_secret }) };
  }

  async function keep(key: SecretKey, given: Pending): Promise<void> {
    await store.save(key, {
      sealed: sealSecret(sealer, key, JSON.stringify(given)),
      expiresAt: clock.now() + signInMs,
    });
  }

  return {
    /**
     * Starts a sign-in.
     *
     * @param request.credentialOwner the principal, or an empty text for all users
     * @param request.redirectUri the address to which the browser returns; absent for a device code
     * @throws SignInError
     */
    async start(request: {
      readonly connection: HttpConnection;
      readonly principal: string;
      readonly credentialOwner: string;
      readonly redirectUri?: string | undefined;
      readonly fetch: FetchLike;
    }): Promise<StartedSignIn> {
      const { connection, principal, credentialOwner, redirectUri, fetch } = request;
      const redirect =
        redirectUri === undefined ? undefined : checkRedirect(redirectUri, publicUrl);
      const before = await credentials.read(connection.name, credentialOwner);
      const found = await findAuthorizationServer({
        name: connection.name,
        url: new URL(connection.url),
        settings: connection.oauth ?? {},
        fetch,
        wantedScope: before?.type === "oauth" ? before.wantedScope : undefined,
      });
      const { server, resource, scope } = found;
      const client = await clientFor(connection, found, fetch, redirect);
      const state = `${connection.name}.${randomBytes(32).toString("base64url")}`;
      const about = {
        credentialOwner,
        server,
        client,
        ...(resource !== undefined && { resource }),
        ...(scope !== undefined && { scope }),
      };
      const key = keyOf(principal, state);
      if (redirect === undefined) {
        const device = await requestDeviceCode({ ...found, client, connection, fetch });
        const { deviceCode, intervalSeconds, ...shown } = device;
        await keep(key, { ...about, flow: { type: "device", deviceCode, intervalSeconds } });
        return { type: "device", ...shown, intervalSeconds, state };
      }
      const { startAuthorization } = await import("../libraries/mcp-client.ts");
      const { authorizationUrl, codeVerifier } = await startAuthorization(server.issuer, {
        metadata: server,
        clientInformation: client,
        redirectUrl: redirect,
        state,
        ...(scope !== undefined && { scope }),
        ...(resource !== undefined && { resource }),
      });
      await keep(key, {
        ...about,
        flow: { type: "redirect", codeVerifier, redirectUri: redirect },
      });
      return { type: "redirect", url: authorizationUrl.href, state };
    },

    /** Returns the connection of a sign-in's state. */
    connectionOf: (state: string): string => state.split(".")[0] ?? "",

    /**
     * Completes a sign-in with the answer of the authorization server, and stores the credential.
     *
     * @throws SignInError
     */
    async finish(request: {
      readonly principal: string;
      readonly state: string;
      readonly code?: string | undefined;
      readonly iss?: string | undefined;
      /** The error that the authorization server states instead of a code. */
      readonly error?: string | undefined;
      readonly fetch: FetchLike;
    }): Promise<FinishedSignIn> {
      const { principal, state, code, iss, error, fetch } = request;
      const key = keyOf(principal, state);
      const stored = await store.get(key);
      const text = stored && openSecret(sealer, stored);
      if (stored === undefined || text === undefined || (stored.expiresAt ?? 0) <= clock.now())
        throw unknownSignIn();
      const found = pending.parse(JSON.parse(text));
      const { server, client, resource, scope, flow, credentialOwner } = found;
      if (flow.type === "device") {
        const { intervalSeconds } = flow;
        const { OAuthError } = await import("../libraries/mcp-client.ts");
        try {
          const reply = await requestToken(
            server,
            client,
            { grant_type: deviceGrant, device_code: flow.deviceCode },
            fetch,
          );
          if (!(await store.remove(key))) throw unknownSignIn();
          return await signedIn(
            found,
            tokensOf(reply, clock.now(), scopeOf(scope)),
            key.connection,
          );
        } catch (thrown) {
          if (thrown instanceof SignInError) throw thrown;
          const code = thrown instanceof OAuthError ? thrown.code : "";
          if (code === "authorization_pending") return { status: "waiting", intervalSeconds };
          if (code === "slow_down") {
            const slower = { ...flow, intervalSeconds: intervalSeconds + 5 };
            await keep(key, { ...found, flow: slower });
            return { status: "waiting", intervalSeconds: slower.intervalSeconds };
          }
          throw failed(thrown, [flow.deviceCode]);
        }
      }
      // A code can be used once, so the sign-in ends here, even if it fails.
      if (!(await store.remove(key))) throw unknownSignIn();
      if (error !== undefined || code === undefined)
        throw new SignInError(
          "sign_in_denied",
          `The authorization server reports: ${(error ?? "no code").slice(0, 200)}. Nothing was stored; sign in again.`,
        );
      const { exchangeAuthorization } = await import("../libraries/mcp-client.ts");
      try {
        const reply = await exchangeAuthorization(server.issuer, {
          metadata: server,
          clientInformation: client,
          authorizationCode: code,
          codeVerifier: flow.codeVerifier,
          redirectUri: flow.redirectUri,
          ...(iss !== undefined && { iss }),
          ...(resource !== undefined && { resource }),
          fetchFn: fetch,
        });
        const tokens = tokensOf(reply, clock.now(), scopeOf(scope));
        return await signedIn(found, tokens, key.connection);
      } catch (thrown) {
        throw failed(thrown, [code, flow.codeVerifier]);
      }

      async function signedIn(
        { server: issuedBy, client: by, resource: of }: Pending,
        tokens: ReturnType<typeof tokensOf>,
        connection: string,
      ): Promise<FinishedSignIn> {
        await credentials.set(connection, credentialOwner, {
          type: "oauth",
          server: issuedBy,
          client: by,
          ...(of !== undefined && { resource: of }),
          tokens,
        });
        return { status: "signed_in", connection, issuer: issuedBy.issuer };
      }
    },
  };
}

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** Only the principal who started a sign-in finds it. The state itself is not stored. */
function keyOf(principal: string, state: string): SecretKey {
  const hash = createHash("sha256").update(state).digest("base64url");
  return {
    connection: state.split(".")[0] ?? "",
    owner: principal,
    field: `sign-in:${hash}`,
  };
}

function scopeOf(scope: string | undefined): { readonly scope?: string } {
  return scope === undefined ? {} : { scope };
}

function unknownSignIn(): SignInError {
  return new SignInError(
    "unknown_sign_in",
    "This sign-in is unknown: it was completed, has expired after 10 minutes, or was started by another user. Start it again.",
  );
}

function failed(thrown: unknown, secrets: readonly string[]): SignInError {
  const reason = withoutSecrets(errorMessage(thrown), secrets).slice(0, 300);
  return new SignInError(
    "sign_in_failed",
    `The sign-in failed: ${reason}. Nothing was stored; sign in again.`,
    { cause: thrown },
  );
}

/** Requests a code that the user enters on another device (RFC 8628). */
async function requestDeviceCode(options: {
  readonly deviceEndpoint?: string;
  readonly client: OAuthClient;
  readonly connection: HttpConnection;
  readonly server: FoundServer["server"];
  readonly scope?: string;
  readonly resource?: string;
  readonly fetch: FetchLike;
}) {
  const { deviceEndpoint, client, connection, server, scope, resource, fetch } = options;
  if (deviceEndpoint === undefined)
    throw new SignInError(
      "sign_in_failed",
      `The authorization server ${server.issuer} of ${connection.name} offers no sign-in with a device code. Sign in with a browser instead.`,
    );
  const response = await fetch(deviceEndpoint, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams({
      client_id: client.client_id,
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource }),
    }),
  });
  const reply = deviceReply.safeParse(await response.json().catch(() => undefined));
  if (!response.ok || !reply.success)
    throw new SignInError(
      "sign_in_failed",
      `The authorization server ${server.issuer} of ${connection.name} returned no device code (${response.status}). Sign in with a browser instead.`,
    );
  const { device_code, user_code, verification_uri, verification_uri_complete, interval } =
    reply.data;
  const named = [new URL(connection.url).host, new URL(server.issuer).host];
  return {
    deviceCode: device_code,
    userCode: user_code,
    url: checkEndpoint(verification_uri_complete ?? verification_uri, named).href,
    intervalSeconds: Math.min(Math.max(interval ?? 5, 1), 60),
  };
}

const deviceReply = z.object({
  device_code: z.string(),
  user_code: z.string().max(100),
  verification_uri: z.string(),
  verification_uri_complete: z.string().optional(),
  interval: z.number().optional(),
});
