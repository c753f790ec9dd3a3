import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Client, MessageFile } from "@capstan/client";
import { chatTexts } from "../texts/chat.ts";
import { formatBytes } from "../terminal/style.ts";

const texts = chatTexts.files;

/** A file that was uploaded with a message. */
export interface AttachedFile extends MessageFile {
  readonly name: string;
  /** `12 kB` */
  readonly size: string;
}

export interface AttachOptions {
  readonly client: Pick<Client, "uploadFile">;
  /** @default the current one */
  readonly folder?: string;
  readonly signal?: AbortSignal;
}

/**
 * Uploads files, in order. Checks all paths before the first upload.
 *
 * @throws Error that names the first path that is not a readable file
 * @example await attachFiles(["report.pdf"], { client }) // [{ id: "file-…", name: "report.pdf", … }]
 */
export async function attachFiles(
  paths: readonly string[],
  { client, folder = process.cwd(), signal }: AttachOptions,
): Promise<readonly AttachedFile[]> {
  const files = await Promise.all(
    paths.map(async (path) => ({ name: basename(path), blob: await open(resolve(folder, path)) })),
  );
  const attached: AttachedFile[] = [];
  for (const { name, blob } of files) {
    const file = await client.uploadFile(new File([blob], name), signal);
    const isImage = /\.(?:png|jpe?g|gif|webp)$/i.test(name);
    attached.push({ id: file.id, name, size: formatBytes(blob.size), isImage });
  }
  return attached;
}

/** Opens a file without reading it into memory. */
async function open(path: string): Promise<Blob> {
  try {
    if (!(await stat(path)).isFile()) throw new Error(texts.notAFile(path));
    return await openAsBlob(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string")
      throw new Error(texts.unreadable(path, error.code), { cause: error });
    throw error;
  }
}
