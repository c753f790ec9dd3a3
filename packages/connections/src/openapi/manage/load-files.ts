import { realpath } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isUrl, type OpenApiConnection } from "../definition/openapi-connection.ts";
import type { DocumentFiles } from "../document/join-files.ts";
import { largestDocument } from "../call/service-client.ts";
import { failure, loadDocument } from "./load-document.ts";

/** The maximum number of files of a document. */
const mostFiles = 300;

/**
 * Loads files that a document refers to: JSON and YAML files in its folder, or URLs with its origin. Other files,
 * and those that do not exist, are null.
 *
 * @throws ConnectionError if there are too many files, or they are too large
 */
export async function loadFiles(
  connection: OpenApiConnection,
  urls: readonly string[],
  options: { readonly loaded: DocumentFiles; readonly signal: AbortSignal },
): Promise<DocumentFiles> {
  const { loaded, signal } = options;
  const { document } = connection;
  if (Object.keys(loaded).length + urls.length > mostFiles)
    throw failure(document, `it refers to more than ${mostFiles} files.`);
  let size = Object.values(loaded).reduce((sum, text) => sum + (text?.length ?? 0), 0);
  const files: { [url: string]: string | null } = { ...loaded };
  for (const url of urls) {
    const target = await allowedTarget(document, url);
    files[url] =
      target === undefined
        ? null
        : await loadDocument({ ...connection, document: target }, signal).catch(() => null);
    signal.throwIfAborted();
    size += files[url]?.length ?? 0;
    if (size > largestDocument)
      throw failure(document, `its files have more than ${largestDocument / 1024 / 1024} MB.`);
  }
  return files;
}

/** Returns the path or URL of a file that may be read, or undefined. */
async function allowedTarget(document: string, url: string): Promise<string | undefined> {
  if (isUrl(document)) return new URL(document).origin === URL.parse(url)?.origin ? url : undefined;
  if (!url.startsWith("file:///")) return undefined;
  try {
    // Symbolic links must not lead out of the folder.
    const folder = await realpath(dirname(document));
    const path = await realpath(fileURLToPath(url));
    const isDocument = /[\\/][^.\\/][^\\/]*\.(?:json|ya?ml)$/i.test(path);
    return path.startsWith(folder + sep) && isDocument ? path : undefined;
  } catch {
    return undefined;
  }
}
