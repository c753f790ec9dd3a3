import { stat } from "node:fs/promises";
import type { DeniedResources } from "@capstan/core";
import { fileRoots, type FileToolsOptions, startFolders } from "../files/file-roots.ts";
import { openPath } from "../files/open-path.ts";
import { readSample } from "../files/read-text.ts";
import { walkFiles } from "../files/walk-files.ts";
import { isConvertible } from "../documents/convert-document.ts";
import { maxTextBytes } from "./document-text.ts";
import type { GivenDocument } from "./indexed-documents.ts";

/** The maximum number of documents of one search. */
export const maxDocuments = 5_000;

/** The name extensions of files to skip. */
const noText =
  /\.(?:png|jpe?g|gif|webp|ico|bmp|tiff?|mp[34]|m4a|wav|ogg|webm|mov|avi|zip|gz|xz|bz2|zst|7z|tar|jar|exe|dll|so|dylib|wasm|bin|woff2?|ttf|otf|db|sqlite|lock)$/i;

/**
 * Yields the documents of a path inside the roots: a file, or the files of a folder and its
 * subfolders. Omits hidden and denied files.
 *
 * @throws FileError
 */
export async function* folderDocuments(
  options: FileToolsOptions,
  {
    path,
    denied,
    signal,
  }: {
    readonly path: string;
    readonly denied: DeniedResources;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<GivenDocument> {
  const roots = await fileRoots(options, denied);
  const documentAt = (shown: string, key?: string): GivenDocument => ({
    name: shown,
    mimeType: "",
    ...(key !== undefined && { key }),
    read: async () => {
      await using file = await openPath(roots, shown);
      return await readSample(file.handle, Math.min(file.stats.size, maxTextBytes + 1));
    },
  });
  for (const folder of startFolders(roots, path)) {
    await using start = await openPath(roots, folder);
    if (start.stats.isFile()) {
      yield documentAt(start.shown, `${start.real} ${start.stats.mtimeMs} ${start.stats.size}`);
      continue;
    }
    for await (const entry of walkFiles(roots, start, { signal })) {
      if (entry.type !== "file" || noText.test(entry.name)) continue;
      const stats = await stat(entry.real).catch(() => undefined);
      if (stats === undefined || stats.size === 0) continue;
      const isLong = stats.size > 2_000_000 && !isConvertible({ name: entry.name, mimeType: "" });
      if (isLong) continue;
      yield documentAt(entry.shown, `${entry.real} ${stats.mtimeMs} ${stats.size}`);
    }
  }
}
