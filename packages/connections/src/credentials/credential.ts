import { z } from "zod";

const secret = z
  .string()
  .min(1)
  .max(20_000)
  // A line break would add a header to the request.
  .regex(/^[^\r\n\0]*$/, { error: "a text without line breaks" });
const name = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, {
  error: "a name of letters, digits and - such as X-Api-Key",
});

/** The parts of an authorization server's metadata that a credential needs after the sign-in. */
export const authorizationServer = z.object({
  issuer: z.string(),
  token_endpoint: z.string(),
  authorization_endpoint: z.string(),
  response_types_supported: z.array(z.string()),
  revocation_endpoint: z.string().exactOptional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).exactOptional(),
  authorization_response_iss_parameter_supported: z.boolean().exactOptional(),
});

/** Metadata of an authorization server: see `authorizationServer`. */
export type AuthorizationServer = z.infer<typeof authorizationServer>;

/** A client as the authorization server knows it. */
export const oauthClient = z.object({
  client_id: z.string(),
  client_secret: z.string().exactOptional(),
});

/** A client as the authorization server knows it: see `oauthClient`. */
export type OAuthClient = z.infer<typeof oauthClient>;

/** An access token with its refresh token. */
export const tokenSet = z.object({
  accessToken: z.string(),
  refreshToken: z.string().exactOptional(),
  /** In ms since the epoch. Absent if the server does not state it. */
  expiresAt: z.number().exactOptional(),
  /** The scopes that the server granted, separated by spaces. */
  scope: z.string().exactOptional(),
});

/** An access token with its refresh token: see `tokenSet`. */
export type TokenSet = z.infer<typeof tokenSet>;

const ofServer = {
  server: authorizationServer,
  client: oauthClient,
  /** The resource indicator of RFC 8707. */
  resource: z.string().exactOptional(),
  /** Scopes that a server demanded during a call, for the next sign-in. */
  wantedScope: z.string().exactOptional(),
};

/** The credentials that a user can enter. */
export const enteredCredential = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("bearer"), token: secret }),
  z.strictObject({ type: z.literal("basic"), username: secret, password: secret }),
  z.strictObject({
    type: z.literal("api_key"),
    in: z.enum(["header", "query", "cookie"]),
    name,
    value: secret,
  }),
]);

/** A credential that a user enters: see `enteredCredential`. */
export type EnteredCredential = z.infer<typeof enteredCredential>;

/** A stored credential. */
export const credential = z.discriminatedUnion("type", [
  ...enteredCredential.options,
  /** The access of a user who has signed in. */
  z.object({ type: z.literal("oauth"), ...ofServer, tokens: tokenSet }),
  /** The access of the client itself. */
  z.object({
    type: z.literal("client_credentials"),
    ...ofServer,
    scope: z.string().exactOptional(),
    tokens: tokenSet.exactOptional(),
  }),
]);

/** A stored credential: see `credential`. */
export type Credential = z.infer<typeof credential>;

/** Returns the headers, parameters and secrets of a credential; undefined if it has no token yet. */
export function partsOf(given: Credential):
  | {
      readonly headers: { readonly [name: string]: string };
      readonly query: { readonly [name: string]: string };
      readonly secrets: readonly string[];
    }
  | undefined {
  const bearer = (token: string, ...more: readonly string[]) => ({
    headers: { authorization: `Bearer ${token}` },
    query: {},
    secrets: [token, ...more],
  });
  switch (given.type) {
    case "bearer":
      return bearer(given.token);
    case "basic": {
      const { username, password } = given;
      const encoded = Buffer.from(`${username}:${password}`).toString("base64");
      return {
        headers: { authorization: `Basic ${encoded}` },
        query: {},
        secrets: [encoded, password],
      };
    }
    case "api_key": {
      const { in: place, name: key, value } = given;
      if (place === "query") return { headers: {}, query: { [key]: value }, secrets: [value] };
      const headers =
        place === "header" ? { [key]: value } : { cookie: `${key}=${encodeURIComponent(value)}` };
      return { headers, query: {}, secrets: [value] };
    }
    case "oauth":
    case "client_credentials": {
      const { tokens, client } = given;
      if (tokens === undefined) return undefined;
      const { accessToken, refreshToken } = tokens;
      const more = [refreshToken, client.client_secret].filter((one) => one !== undefined);
      return bearer(accessToken, ...more);
    }
  }
}
