import type { JsonObject, JsonValue } from "@capstan/core";
import type { ConfigFormat, EntryPath } from "../formats/config-format.ts";
import type { Machine } from "./client-paths.ts";

/** A server that a client reaches over HTTP. */
export interface HttpTarget {
  readonly type: "http";
  readonly url: string;
  readonly key: string;
}

/** A server that a client reaches through a command. */
export interface CommandTarget {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
}

/** A program that speaks MCP, and its configuration file. */
export interface ClientKind {
  readonly name: string;
  readonly title: string;
  readonly format: ConfigFormat;
  /** The user's configuration file, which applies in all projects. */
  readonly file: (machine: Machine) => string;
  /** The entry of the server. */
  readonly path: EntryPath;
  /** Returns the entry for a command. */
  readonly command: (target: CommandTarget) => JsonObject;
  /** Returns the entry for HTTP. @default the client cannot send a key over HTTP */
  readonly http?: (target: HttpTarget) => JsonObject;
  /**
   * `file`: the key is in the entry; `asked`: the client asks its user for the key once and stores
   * it in its own secret storage.
   */
  readonly keepsKey: "file" | "asked";
  /** An additional entry for HTTP, in a list of the file. @default none */
  readonly input?: (id: string) => JsonObject;
  /**
   * Returns the target of a written entry. The key is absent if the client asks its user for it.
   */
  readonly targetOf: (entry: JsonValue) => WrittenTarget | undefined;
  /** Tells the user how the client loads the new configuration. */
  readonly next: string;
}

/** The target in a client's file. */
export type WrittenTarget =
  | CommandTarget
  | { readonly type: "http"; readonly url: string; readonly key: string | undefined };
