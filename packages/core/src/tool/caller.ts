import type { RegisteredTool } from "./registry.ts";

/** The user that a call belongs to. Other calls cannot read it. */
export interface Principal {
  readonly id: string;
  readonly name?: string;
}

/**
 * Data that a caller passes to the tool of its call: a tenant, a trace, a token. Never shown to a
 * model or stored.
 */
export interface RequestContext {
  readonly [key: string]: unknown;
}

/** The principal of a call, and its data. Sub-calls inherit it. Other calls cannot read it. */
export interface Caller {
  readonly principal: Principal;
  readonly request: RequestContext;
  readonly files: ToolFiles;
}

const noFiles: ToolFiles = {};

/** The caller of calls without a caller: the principal `local`, without data and files. */
export const localCaller: Caller = {
  principal: { id: "local" },
  request: Object.freeze({}),
  files: noFiles,
};

/** Returns a caller with the given fields replaced, or the same object if nothing is given. */
export function callerWith(base: Caller, given: Partial<Caller> | undefined): Caller {
  if (given === undefined) return base;
  const { principal = base.principal, request = base.request, files = base.files } = given;
  return { principal, request, files };
}

/** A file that a tool may read. Its bytes are loaded when the tool requests them. */
export interface ToolFile {
  readonly name: string;
  readonly mimeType: string;
  /** The size in bytes, if known. */
  readonly size?: number;
  read(signal: AbortSignal): Uint8Array | Promise<Uint8Array>;
}

/** The files that each tool may read. A key is a tool's `group.Tool` or bare name, or `_all`. */
export interface ToolFiles {
  readonly [toolOrAll: string]: readonly ToolFile[];
}

/**
 * Returns the files that one tool may read: its own files, then the files for all tools, without
 * duplicates.
 *
 * @example filesFor({ _all: [a], "web.Search": [b] }, registered) // [b, a] for web.Search, else [a]
 */
export function filesFor(
  files: ToolFiles,
  { id, name }: Pick<RegisteredTool, "id" | "name">,
): readonly ToolFile[] {
  if (files === noFiles) return none;
  const visible = new Set<ToolFile>();
  for (const key of [id, name, "_all"]) {
    if (!Object.hasOwn(files, key)) continue;
    for (const file of files[key] ?? []) visible.add(file);
  }
  return [...visible];
}

const none: readonly ToolFile[] = [];
