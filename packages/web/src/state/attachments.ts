import { batch, createSignal } from "solid-js";
import { isAbort, messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";

/** A file of the next message. It is uploaded as soon as it is added. */
export interface Attachment {
  readonly key: number;
  readonly name: string;
  readonly bytes: number;
  readonly isImage: boolean;
  readonly upload: Upload;
}

export type Upload =
  | { readonly status: "uploading" }
  | { readonly status: "ready"; readonly fileId: string }
  | { readonly status: "failed"; readonly message: string };

/** The maximum number of files in a message. */
export const maxAttachments = 50;
/** The types that providers accept as images. Other files are sent as files. */
const imageType = /^image\/(?:png|jpeg|gif|webp)$/;

type ByChat = ReadonlyMap<string | null, readonly Attachment[]>;

/**
 * The files that each chat's next message will have. They are lost when the page is closed.
 *
 * @param chat returns the id of the open conversation, or null in a new chat
 */
export function createAttachments(chat: () => string | null) {
  const [all, setAll] = createSignal<ByChat>(new Map());
  const uploads = new Map<number, { readonly file: File; readonly abort: AbortController }>();
  let lastKey = 0;

  const list = () => all().get(chat()) ?? [];

  function change(key: number, next: (found: Attachment) => Attachment | undefined): void {
    setAll((before) => {
      const after = new Map<string | null, readonly Attachment[]>();
      for (const [id, files] of before)
        after.set(
          id,
          files.flatMap((one) => (one.key === key ? (next(one) ?? []) : one)),
        );
      return after;
    });
  }

  const setUpload = (key: number, upload: Upload) => change(key, (one) => ({ ...one, upload }));

  async function upload(key: number): Promise<void> {
    const started = uploads.get(key);
    if (started === undefined) return;
    setUpload(key, { status: "uploading" });
    try {
      const { id } = await client.uploadFile(started.file, started.abort.signal);
      if (uploads.has(key)) setUpload(key, { status: "ready", fileId: id });
      else await client.deleteFile(id);
    } catch (error) {
      if (!isAbort(error)) setUpload(key, { status: "failed", message: messageOf(error) });
    }
  }

  /** Adds files and uploads them. Returns the number of files that do not fit into the message. */
  function add(files: readonly File[]): number {
    const free = Math.max(0, maxAttachments - list().length);
    const added = files.slice(0, free).map((file): Attachment => {
      const key = ++lastKey;
      uploads.set(key, { file, abort: new AbortController() });
      const isImage = imageType.test(file.type);
      return { key, name: file.name, bytes: file.size, isImage, upload: { status: "uploading" } };
    });
    put([...list(), ...added]);
    for (const { key } of added) void upload(key);
    return files.length - added.length;
  }

  function put(files: readonly Attachment[]): void {
    setAll((before) => new Map(before).set(chat(), files));
  }

  /** Removes a file from the message, and deletes it on the server. */
  function remove(key: number): void {
    const found = list().find((one) => one.key === key);
    uploads.get(key)?.abort.abort();
    uploads.delete(key);
    change(key, () => undefined);
    // A file that stays on the server is harmless: it belongs to this user and counts to the quota.
    if (found?.upload.status === "ready") client.deleteFile(found.upload.fileId).catch(() => {});
  }

  /** Returns the files and empties the list; `restore` puts them back. */
  function take(): readonly Attachment[] {
    const taken = list();
    put([]);
    return taken;
  }

  return {
    list,
    add,
    remove,
    retry: (key: number) => void upload(key),
    take,
    restore: (files: readonly Attachment[]) => batch(() => put([...files, ...list()])),
    isReady: () => list().every(({ upload: { status } }) => status === "ready"),
  };
}
