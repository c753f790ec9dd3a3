import type { NewRun, Store, ToolContextData } from "@capstan/store";
import { badRequest, isObject, wrongType } from "../errors.ts";
import type { HostedTool } from "../tools/hosted-tools.ts";
import { namedFile } from "./stored-files.ts";

/** The maximum number of files that one tool of a request can name. */
const maxFiles = 500;

/**
 * Returns the files that a request gives to tools of one type: those of `container.file_ids`. Only
 * tools of that type see them.
 *
 * @throws RequestError 404 if a file does not exist or has another owner
 */
export async function typedFiles(
  hosted: readonly HostedTool[],
  { store, owner }: { readonly store: Pick<Store, "readFiles">; readonly owner: string },
): Promise<{
  readonly files: NonNullable<ToolContextData["files"]>;
  readonly blobs: NonNullable<NewRun["blobs"]>;
}> {
  const files: { [type: string]: NonNullable<ToolContextData["files"]>[string] } = {};
  const blobs: NonNullable<NewRun["blobs"]>[number][] = [];
  for (const { tool } of hosted) {
    const { container } = tool;
    const given = isObject(container) ? container["file_ids"] : undefined;
    if (given == null) continue;
    const at = `tools.${tool.type}.container.file_ids`;
    if (!Array.isArray(given)) throw wrongType(at, "an array", given);
    if (given.length > maxFiles)
      throw badRequest(at, `Invalid '${at}': it names more than ${maxFiles} files.`);
    const ids = given.map((id: unknown, index) => {
      if (typeof id !== "string") throw wrongType(`${at}[${index}]`, "a string", id);
      return id;
    });
    const found = await store.readFiles({ owner, ids: [...new Set(ids)] });
    const named = ids.map((id, index) => namedFile(found.get(id), `${at}[${index}]`, id));
    files[tool.type] = named.map(({ id, name, mimeType, sha256, size }) => ({
      id,
      name,
      mimeType,
      sha256,
      size,
    }));
    blobs.push(...named.map(({ blob }) => blob));
  }
  return { files, blobs };
}
