import type { GivenFile, Model, ToolGroup } from "@capstan/core";
import { neutralise } from "@capstan/core/host";
import { type FileKind, fileKind, type RunFiles } from "./run-files.ts";

/**
 * Hidden tools `group.Tool` by kind of file: `{ document: ["reader.Read"] }`. A model gets them
 * while its conversation has files of that kind that the model does not take.
 */
export type AttachmentTools = { readonly [kind in FileKind]?: readonly string[] };

/** The hidden tools of a run. */
export interface AttachedTools {
  /** `group.Tool`, without duplicates. */
  readonly toolIds: readonly string[];
  /** The files that the model does not take, and that these tools can read. */
  readonly files: readonly GivenFile[];
}

const noTools: AttachedTools = { toolIds: [], files: [] };

/** Returns the hidden tools for the files of a conversation that a model does not take. */
export function attachedTools(
  files: RunFiles,
  { readsFile }: Pick<Model, "readsFile">,
  bound: AttachmentTools,
): AttachedTools {
  if (readsFile === undefined) return noTools;
  const unread = files
    .list()
    .filter(({ mimeType }) => !readsFile(mimeType) && bound[fileKind(mimeType)] !== undefined);
  if (unread.length === 0) return noTools;
  const toolIds = unread.flatMap(({ mimeType }) => bound[fileKind(mimeType)] ?? []);
  return { toolIds: [...new Set(toolIds)], files: unread };
}

/** The maximum number of files that the note names. */
const maxNamed = 20;

/** Returns a note for the model with the files that it can only read with tools; empty if none. */
export function attachedNote(
  { toolIds, files }: AttachedTools,
  groups: readonly ToolGroup[],
): string {
  const isKnown = (id: string) =>
    groups.some((group) =>
      group.tools.some((tool) => id === `${group.name}.${tool.definition.function.name}`),
    );
  const names = toolIds.filter(isKnown).map((id) => id.slice(id.indexOf(".") + 1));
  if (names.length === 0) return "";
  const listed = files
    .slice(0, maxNamed)
    .map(({ name, mimeType }) => `- ${JSON.stringify(neutralise(name))} (${neutralise(mimeType)})`);
  const more = files.length - listed.length;
  return [
    `The conversation has files that you do not see directly. Read them with ${names.join(" or ")}:`,
    ...listed,
    ...(more > 0 ? [`- and ${more} more`] : []),
  ].join("\n");
}
