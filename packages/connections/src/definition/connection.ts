import { digest } from "@capstan/core/host";
import type { NetworkAccess } from "@capstan/sandbox";

/** An MCP server whose tools Capstan uses: a program, or a server at a URL. */
export type Connection = ProgramConnection | HttpConnection;

interface CommonSettings {
  /** The name of its tool group: `^[a-z][a-z0-9-]{0,31}$`. */
  readonly name: string;
  /** The server's own names of the tools to use. @default all */
  readonly tools?: readonly string[];
  /**
   * Whether the administrator trusts the server's annotations: tools that it marks as read-only
   * then need one approval, and may be repeated. @default false: every call needs approval
   */
  readonly trustAnnotations?: boolean;
  /** Whether a user must accept the first definitions, too. @default false */
  readonly reviewsFirst?: boolean;
  /** Seconds without a message from the server after which a call ends. @default 60 */
  readonly idleSeconds?: number;
  /** Maximum duration of a call in seconds, even if the server sends messages. @default 600 */
  readonly timeoutSeconds?: number;
  /**
   * Minutes after which a call makes Capstan read the list of tools again, in the background. @default 1440
   */
  readonly refreshMinutes?: number;
  /**
   * The model that the server can ask during its calls, as `provider/model`. Each request needs
   * approval. @default the server cannot ask a model
   */
  readonly sampling?: string;
  /** Whether all users share one process or session. @default false */
  readonly shared?: boolean;
  /** Names of variables that the settings use and the environment lacks. @default none */
  readonly missing?: readonly string[];
}

/** The default of `refreshMinutes`: a day. */
export const defaultRefreshMinutes = 1_440;

/** A server that runs as a program and communicates over its standard streams. */
export interface ProgramConnection extends CommonSettings {
  readonly type: "program";
  /** A name on PATH, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables in addition to PATH and HOME. Values may be secret. */
  readonly env: { readonly [name: string]: string };
  /** Absolute paths of the folders that it can read. */
  readonly read: readonly string[];
  /** Absolute paths of the folders that it can change. */
  readonly write: readonly string[];
  readonly network: NetworkAccess;
  /** False runs it with all rights of this user. */
  readonly sandbox: boolean;
}

/** A server at a URL, over streamable HTTP. */
export interface HttpConnection extends CommonSettings {
  readonly type: "http";
  readonly url: string;
  /**
   * The hosts of `url` and of the issuer, with ports, that may have a private address, because the
   * user who added the connection accepted it. @default those that are private by their names
   */
  readonly privateHosts?: readonly string[];
  /** Headers of every request. Values may be secret. */
  readonly headers: { readonly [name: string]: string };
  /** How users sign in. @default as the server states */
  readonly oauth?: OAuthSettings;
}

/** The facts that a user or an administrator states about the sign-in of a server. */
export interface OAuthSettings {
  /** A client that was registered before. @default Capstan registers itself */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The authorization server to use, which may have a private address. @default the server's own */
  readonly issuer?: string;
  /** The scopes to request, separated by spaces. @default those that the server names */
  readonly scope?: string;
  /** The resource indicator; false sends none. @default the one that the server states */
  readonly resource?: string | false;
}

/**
 * Returns a digest of the settings that determine which server a connection uses. Definitions that
 * were accepted for one server do not apply to another.
 */
export function identityOf(connection: Connection): string {
  return digest(
    connection.type === "http"
      ? [connection.type, connection.url]
      : [connection.type, connection.command, ...connection.args],
  );
}

/** Returns the secret values of a connection, which no message may contain, longest first. */
export function secretsOf(connection: Connection): readonly string[] {
  const values = Object.values(connection.type === "http" ? connection.headers : connection.env);
  const parts = values.flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...new Set(parts)]
    .filter((value) => value.length >= 8)
    .sort((one, other) => other.length - one.length);
}

/**
 * Replaces secrets in a text, also in their JSON, URL and Base64 encodings.
 *
 * @example withoutSecrets("Bearer abcdefgh is wrong", ["abcdefgh"]) // "Bearer [secret] is wrong"
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets)
    for (const form of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64"),
    ])
      shown = shown.replaceAll(form, "[secret]");
  return shown;
}
