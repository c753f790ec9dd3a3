import { digest } from "@capstan/core/host";
import type { NetworkAccess } from "@capstan/sandbox";

/** An MCP server that Capstan's tools come from: a program, or an address. */
export type Connection = ProgramConnection | HttpConnection;

interface CommonSettings {
  /** The name of its tool group: `^[a-z][a-z0-9-]{0,31}$`. */
  readonly name: string;
  /** The server's own names of the tools to use. @default all */
  readonly tools?: readonly string[];
  /**
   * Whether the administrator believes the server's annotations: tools that it calls read-only then
   * ask once, and may be repeated. @default false: every call asks
   */
  readonly trustAnnotations?: boolean;
  /** Seconds without any message of the server until a call ends. @default 60 */
  readonly idleSeconds?: number;
  /** Seconds until a call ends, whatever the server sends. @default 600 */
  readonly timeoutSeconds?: number;
  /** Whether all users share one process or session. @default false */
  readonly shared?: boolean;
  /** Names of variables that the settings use and the environment lacks. @default none */
  readonly missing?: readonly string[];
}

/** A server that runs as a program and speaks on its standard streams. */
export interface ProgramConnection extends CommonSettings {
  readonly type: "program";
  /** A name on PATH, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Its environment, in addition to PATH, HOME and the like. Values may be secret. */
  readonly env: { readonly [name: string]: string };
  /** Folders that it can read, absolute. */
  readonly read: readonly string[];
  /** Folders that it can change, absolute. */
  readonly write: readonly string[];
  readonly network: NetworkAccess;
  /** False runs it with all rights of this user. */
  readonly sandbox: boolean;
}

/** A server at an address, over streamable HTTP. */
export interface HttpConnection extends CommonSettings {
  readonly type: "http";
  readonly url: string;
  /** Headers of every request. Values may be secret. */
  readonly headers: { readonly [name: string]: string };
}

/**
 * Returns a digest of what decides which server a connection leads to. Definitions that were
 * accepted for one server do not apply to another.
 */
export function identityOf(connection: Connection): string {
  return digest(
    connection.type === "http"
      ? [connection.type, connection.url]
      : [connection.type, connection.command, ...connection.args],
  );
}

/** Returns the values of a connection that no message may contain, longest first. */
export function secretsOf(connection: Connection): readonly string[] {
  const values = Object.values(connection.type === "http" ? connection.headers : connection.env);
  const parts = values.flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...new Set(parts)]
    .filter((value) => value.length >= 8)
    .sort((one, other) => other.length - one.length);
}

/**
 * Replaces secrets in a text: as they are, and as JSON, URLs and Base64 contain them.
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
