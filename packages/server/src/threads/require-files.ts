import type { FileRecord, Store } from "@capstan/store";
import { RequestError } from "../http/errors.ts";

/**
 * Returns the files with these ids.
 *
 * @param options.at the parameter that errors name
 * @throws RequestError 404 if one does not exist or has another owner
 */
export async function requireFiles(
  store: Pick<Store, "readFiles">,
  {
    owner,
    ids,
    at,
  }: { readonly owner: string; readonly ids: readonly string[]; readonly at: string },
): Promise<ReadonlyMap<string, FileRecord>> {
  if (ids.length === 0) return new Map();
  const files = await store.readFiles({ owner, ids });
  const missing = ids.find((id) => !files.has(id));
  if (missing === undefined) return files;
  throw new RequestError({
    status: 404,
    code: "file_not_found",
    param: at,
    message: `Invalid '${at}': there is no file "${missing.slice(0, 100)}" here. GET /v1/files lists your files.`,
  });
}
