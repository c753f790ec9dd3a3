import type { CallRecord, ContentPart, GivenFile, Message, ToolFiles } from "@capstan/core";
import type { FilePart, ImagePart } from "@capstan/core/host";
import type { Store, ToolContextData } from "@capstan/store";

type Blobs = Pick<Store, "readBlob" | "streamBlob">;

/** The kinds of files, by which a tool is made available for a model that cannot read them. */
export type FileKind = "document" | "audio" | "image";

/** Returns the kind of a file, from its MIME type. */
export function fileKind(mimeType: string): FileKind {
  if (mimeType.startsWith("image/")) return "image";
  return mimeType.startsWith("audio/") ? "audio" : "document";
}

/**
 * The files of a run that its tools can read: those of its conversation's messages and results, and
 * those that the request gives to tools of one type. Files that calls return are added as they end.
 */
export class RunFiles {
  readonly #blobs: Blobs;
  readonly #files = new Map<string, GivenFile>();
  readonly #ofTypes: { readonly [type: string]: readonly GivenFile[] };
  #images = 0;

  constructor(blobs: Blobs, ofTypes: ToolContextData["files"] = {}) {
    this.#blobs = blobs;
    this.#ofTypes = Object.fromEntries(
      Object.entries(ofTypes).map(([type, files]) => [
        type,
        files.map(({ sha256, size, ...file }) => this.#stored({ ...file, sha256, size })),
      ]),
    );
  }

  addMessages(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.role === "tool") this.addParts(message.parts);
      else if (typeof message.content !== "string") this.addParts(message.content);
    }
  }

  addCalls(calls: Iterable<Pick<CallRecord, "result">>): void {
    for (const { result } of calls) this.addParts(result?.parts);
  }

  addParts(parts: readonly ContentPart[] = []): void {
    for (const part of parts) {
      if (part.type !== "file" && part.type !== "image") continue;
      const file = this.#fileOf(part);
      if (file === undefined) continue;
      const key = keyOf(part);
      if (!this.#files.has(key)) this.#files.set(key, file);
    }
  }

  /** The files of the conversation, oldest first. */
  list(): readonly GivenFile[] {
    return [...this.#files.values()];
  }

  /** Returns the files as the executor expects them. */
  toolFiles(): ToolFiles {
    return { ...this.#ofTypes, _all: this.list() };
  }

  #fileOf(part: FilePart | ImagePart): GivenFile | undefined {
    const { source, mimeType, fileId: id } = part;
    const name = part.name ?? this.#imageName(part);
    switch (source.type) {
      case "blob":
        return this.#stored({
          ...(id !== undefined && { id }),
          name,
          mimeType,
          sha256: source.sha256,
          size: source.size,
        });
      case "base64": {
        const read = (): Uint8Array => Buffer.from(source.data, "base64");
        return { ...(id !== undefined && { id }), name, mimeType, read };
      }
      case "url":
        // The server does not have its bytes.
        return undefined;
    }
  }

  /** Pictures usually have no name. */
  #imageName({ mimeType }: Pick<ImagePart, "mimeType">): string {
    this.#images += 1;
    const extension = /^image\/(\w+)/.exec(mimeType)?.[1] ?? "bin";
    return `image-${this.#images}.${extension === "jpeg" ? "jpg" : extension}`;
  }

  #stored({
    sha256,
    ...file
  }: Omit<GivenFile, "read" | "stream"> & { readonly sha256: string }): GivenFile {
    const blobs = this.#blobs;
    const missing = () =>
      new Error(`The bytes of "${file.name}" are no longer stored. Ask the user to send it again.`);
    return {
      ...file,
      async read(signal) {
        signal.throwIfAborted();
        const bytes = await blobs.readBlob(sha256);
        if (bytes === undefined) throw missing();
        return bytes;
      },
      async *stream(signal) {
        const pieces = await blobs.streamBlob(sha256);
        if (pieces === undefined) throw missing();
        for await (const piece of pieces) {
          signal.throwIfAborted();
          yield piece;
        }
      },
    };
  }
}

/** A file that several messages name is one file. */
function keyOf(part: FilePart | ImagePart): string {
  const { source, fileId, mimeType } = part;
  if (fileId !== undefined) return fileId;
  const bytes =
    source.type === "blob" ? source.sha256 : source.type === "base64" ? source.data : "";
  return `${mimeType} ${part.name ?? ""} ${bytes}`;
}
