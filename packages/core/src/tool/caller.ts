import type { JsonValue } from "../base/json.ts";
import type { RegisteredTool } from "./registry.ts";

/** The user that a call belongs to. Other calls cannot read it. */
export interface Principal {
  readonly id: string;
  readonly name?: string;
}

/**
 * Data that a caller passes to the tools of its request, and never shows to a model. The server
 * fills in the named fields, and stores them with the run. A program may add its own: a tenant, a
 * trace, a token.
 */
export interface RequestContext {
  /** The client's id of its end user: `safety_identifier`, or else `user`. */
  readonly user?: string;
  /** The request's metadata. */
  readonly metadata?: { readonly [key: string]: string };
  /** The request's headers that the configuration passes on, by name in lower case. */
  readonly headers?: { readonly [name: string]: string };
  readonly [key: string]: unknown;
}

/**
 * The tool as the request declares it, with all its options: `{ type: "web_search", user_location,
 * filters }`, or the entry of type `mcp` that offers the tool's group, without secrets. Plain JSON.
 */
export interface RequestTool {
  readonly type: string;
  readonly [option: string]: JsonValue;
}

/** The tools as the request declares them. A key is a tool's `group.Tool`, or the name of a group. */
export interface RequestTools {
  readonly [toolOrGroup: string]: RequestTool;
}

/**
 * The entry of a tool that a request needs for its files but does not offer. The tool may then read
 * only `context.files`: no folders, addresses or other files of the user.
 */
export const attachmentsOnly: RequestTool = Object.freeze({ type: "attachments" });

/** Returns whether a tool may read only the files of its request. */
export function readsAttachmentsOnly(tool: RequestTool | undefined): boolean {
  return tool?.type === attachmentsOnly.type;
}

/** The principal of a call, and its data. Sub-calls inherit it. Other calls cannot read it. */
export interface Caller {
  readonly principal: Principal;
  readonly request: RequestContext;
  readonly tools: RequestTools;
  /** A function is called when a call starts, because files can be added. */
  readonly files: ToolFiles | (() => ToolFiles);
}

const noFiles: ToolFiles = {};
const noTools: RequestTools = {};

/** The caller of calls without a caller: the principal `local`, without data and files. */
export const localCaller: Caller = {
  principal: { id: "local" },
  request: Object.freeze({}),
  tools: noTools,
  files: noFiles,
};

/** Returns a caller with the given fields replaced, or the same object if nothing is given. */
export function callerWith(base: Caller, given: Partial<Caller> | undefined): Caller {
  if (given === undefined) return base;
  const { principal = base.principal, request = base.request } = given;
  const { tools = base.tools, files = base.files } = given;
  return { principal, request, tools, files };
}

/** Returns a tool as the request declares it: its own entry, or else the entry of its group. */
export function requestToolFor(
  tools: RequestTools,
  { id, group }: Pick<RegisteredTool, "id" | "group">,
): RequestTool | undefined {
  const key = [id, group.name].find((each) => Object.hasOwn(tools, each));
  return key === undefined ? undefined : tools[key];
}

/** A file that a caller passes to tools. Its bytes are loaded when a tool requests them. */
export interface GivenFile {
  /** The id of a stored file: `file-…`. */
  readonly id?: string;
  readonly name: string;
  readonly mimeType: string;
  /** The size in bytes, if known. */
  readonly size?: number;
  read(signal: AbortSignal): Uint8Array | Promise<Uint8Array>;
  /** @default one piece with all bytes of `read` */
  stream?(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** A file that a tool may read: whole, or in pieces if it may be large. */
export interface ToolFile extends GivenFile {
  stream(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/**
 * The files that each tool may read. A key is a tool's `group.Tool` or bare name, the type of its
 * entry in the request such as `file_search`, or `_all`.
 */
export interface ToolFiles {
  readonly [toolOrAll: string]: readonly GivenFile[];
}

/**
 * Returns the files that one tool may read: its own files, then those of its type, then the files
 * for all tools, without duplicates.
 *
 * @example filesFor({ _all: [a], "web.Search": [b] }, registered) // [b, a] for web.Search, else [a]
 */
export function filesFor(
  given: Caller["files"],
  { id, name }: Pick<RegisteredTool, "id" | "name">,
  type?: string,
): readonly ToolFile[] {
  const files = typeof given === "function" ? given() : given;
  if (files === noFiles) return none;
  const visible = new Set<GivenFile>();
  for (const key of [id, name, ...(type === undefined ? [] : [type]), "_all"]) {
    if (!Object.hasOwn(files, key)) continue;
    for (const file of files[key] ?? []) visible.add(file);
  }
  return Array.from(visible, readable);
}

const none: readonly ToolFile[] = [];

/** Adds `stream` to a file that has only `read`. */
function readable(file: GivenFile): ToolFile {
  if (file.stream !== undefined) return file as ToolFile;
  const { id, name, mimeType, size } = file;
  return {
    ...(id !== undefined && { id }),
    name,
    mimeType,
    ...(size !== undefined && { size }),
    read: (signal) => file.read(signal),
    async *stream(signal) {
      yield await file.read(signal);
    },
  };
}
