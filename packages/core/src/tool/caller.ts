import type { RegisteredTool } from "./registry.ts";

/** Who a call is made for. Belongs to one call; another's is never visible. */
export interface Principal {
  readonly id: string;
  readonly name?: string;
}

/** What the one who makes a call gives along for its tool: a tenant, a trace, a token. Never shown to a model or kept. */
export interface RequestContext {
  readonly [key: string]: unknown;
}

/** On whose behalf a call is made, and with what. Sub-calls inherit it; no other call sees it. */
export interface Caller {
  readonly principal: Principal;
  readonly request: RequestContext;
  readonly files: ToolFiles;
}

const noFiles: ToolFiles = {};

export const localCaller: Caller = {
  principal: { id: "local" },
  request: Object.freeze({}),
  files: noFiles,
};

/** A caller that differs in what is given. The same object where nothing is. */
export function callerWith(base: Caller, given: Partial<Caller> | undefined): Caller {
  if (given === undefined) return base;
  const { principal = base.principal, request = base.request, files = base.files } = given;
  return { principal, request, files };
}

/** A file that a tool may read. Its bytes are fetched when they are asked for. */
export interface ToolFile {
  readonly name: string;
  readonly mimeType: string;
  /** Bytes, where known. */
  readonly size?: number;
  read(signal: AbortSignal): Uint8Array | Promise<Uint8Array>;
}

/** Files by who may see them: a tool's `group.Tool` or bare name, or `_all`. */
export interface ToolFiles {
  readonly [toolOrAll: string]: readonly ToolFile[];
}

/**
 * The files that one tool sees: its own, then those for all, each once.
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
