import type { RegisteredTool } from "./registry.ts";

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

export const noFiles: ToolFiles = {};
const none: readonly ToolFile[] = [];
