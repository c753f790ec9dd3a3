import { digest } from "@capstan/core/host";

/** A service whose operations an OpenAPI document describes. */
export interface OpenApiConnection {
  readonly type: "openapi";
  /** The name of its tool group: `^[a-z][a-z0-9-]{0,31}$`. */
  readonly name: string;
  /** The document: an absolute path, or an http(s) URL. */
  readonly document: string;
  /**
   * The base URL of the service, possibly with variables: `https://{region}.example.org/v1`.
   * @default the first server of the document
   */
  readonly server?: string;
  /**
   * Whether the host of the service, or of the document at a URL, may have a private address.
   * @default whether it is private by its name, for example `localhost` or `10.0.0.5`
   */
  readonly private?: boolean;
  /** Values of the server's variables. @default the defaults of the document */
  readonly variables: { readonly [name: string]: string };
  /** Credentials by the name of the document's security scheme. Values may be secret. */
  readonly credentials: { readonly [scheme: string]: string | BasicCredential };
  /** Headers of every request. Values may be secret. */
  readonly headers: { readonly [name: string]: string };
  /** The operations to use: their ids or tool names, or prefixes that end with `*`. @default all */
  readonly tools?: readonly string[];
  /** The maximum number of pages that a call reads, along the service's links. @default 1 */
  readonly pages?: number;
  /**
   * Whether the administrator trusts that PUT and DELETE have the same effect if repeated.
   * @default false: only reads are repeated
   */
  readonly trustMethods?: boolean;
  /** Seconds without data from the service after which a call ends. @default 60 */
  readonly idleSeconds?: number;
  /** Maximum duration of a call in seconds. @default 600 */
  readonly timeoutSeconds?: number;
  /**
   * Minutes after which a call makes Capstan read the document again, in the background. @default 1440
   */
  readonly refreshMinutes?: number;
  /** Names of variables that the settings use and the environment lacks. @default none */
  readonly missing?: readonly string[];
}

/** A user name and a password. */
export interface BasicCredential {
  readonly username: string;
  readonly password: string;
}

/** Returns whether a document is at a URL. */
export function isUrl(document: string): boolean {
  return /^https?:\/\//i.test(document);
}

/**
 * Returns a digest of the settings that determine which service a connection uses. Definitions
 * that were accepted for one service do not apply to another.
 */
export function identityOfDocument({ document, server, variables }: OpenApiConnection): string {
  return digest(["openapi", document, server ?? "", variables]);
}

/** Returns the secret values of a connection, which no message may contain, longest first. */
export function secretsOfDocument({ credentials, headers }: OpenApiConnection): readonly string[] {
  const values = [
    ...Object.values(headers),
    ...Object.values(credentials).flatMap((value) =>
      typeof value === "string"
        ? [value]
        : [value.password, Buffer.from(`${value.username}:${value.password}`).toString("base64")],
    ),
  ];
  return [...new Set(values.flatMap((value) => [value, ...value.split(/\s+/)]))]
    .filter((value) => value.length >= 8)
    .sort((one, other) => other.length - one.length);
}
