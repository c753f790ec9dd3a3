import { badRequest, isObject, RequestError, wrongType } from "../errors.ts";
import type { FilePart } from "@capstan/core/host";
import type { FileRecord, NewRun, Store } from "@capstan/store";

/** A file that a content part names in `file_id`. */
export class NamedFile {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly sha256: string;
  readonly size: number;

  constructor(file: Omit<NamedFile, "source" | "blob" | "toJSON">) {
    this.id = file.id;
    this.name = file.name;
    this.mimeType = file.mimeType;
    this.sha256 = file.sha256;
    this.size = file.size;
  }

  /** The file as the source of a message's part. */
  get source(): FilePart["source"] {
    return { type: "blob", sha256: this.sha256, size: this.size };
  }

  /** A run's reference to the file's bytes. The bytes remain even if the file is deleted. */
  get blob(): NonNullable<NewRun["blobs"]>[number] {
    return { sha256: this.sha256, size: this.size };
  }

  toJSON(): object {
    const { id, name, mimeType, sha256, size } = this;
    return { id, name, mimeType, sha256, size };
  }
}

/** Restores a file of a stored item from its JSON. */
export function asNamedFile(value: unknown): NamedFile | undefined {
  if (value instanceof NamedFile) return value;
  if (!isObject(value)) return undefined;
  const { id, name, mimeType, sha256, size } = value;
  if (typeof id !== "string" || typeof name !== "string" || typeof mimeType !== "string")
    return undefined;
  if (typeof sha256 !== "string" || typeof size !== "number") return undefined;
  return new NamedFile({ id, name, mimeType, sha256, size });
}

/** The member of a body with the items or messages. */
type FileList = "input" | "messages" | "items";

/** The maximum number of different files of one request. */
const maxFiles = 500;

interface FileOwner {
  readonly store: Pick<Store, "readFiles">;
  readonly owner: string;
}

/**
 * Returns a request's body in which a `NamedFile` replaces each `file_id` of a content part.
 *
 * @param list the member of the body with the items or messages
 * @throws RequestError 404 if a file does not exist or has another owner
 * @example const named = await withFiles(body, "input", { store, owner });
 */
export async function withFiles(
  body: unknown,
  list: FileList,
  { store, owner }: FileOwner,
): Promise<unknown> {
  const items = isObject(body) ? body[list] : undefined;
  if (!isObject(body) || !Array.isArray(items)) return body;
  const named = new Map<string, string>();
  changeFiles(items as readonly unknown[], list, (id, at) => {
    if (typeof id !== "string") throw wrongType(at, "a string", id);
    if (!named.has(id)) named.set(id, at);
    return id;
  });
  if (named.size === 0) return body;
  if (named.size > maxFiles)
    throw badRequest(list, `Invalid '${list}': it names more than ${maxFiles} files.`);
  const files = await store.readFiles({ owner, ids: [...named.keys()] });
  for (const [id, at] of named) if (!files.has(id)) throw unknownFile(id, at);
  const found = (id: unknown, at: string) =>
    namedFile(typeof id === "string" ? files.get(id) : undefined, at);
  return { ...body, [list]: changeFiles(items as readonly unknown[], list, found) };
}

/**
 * Returns a body in which placeholders replace each `file_id`, so that its other fields can be
 * checked. The later request that uses the body looks its files up.
 */
export function withUncheckedFiles(body: JsonFields, list: "input" | "messages"): JsonFields {
  const items = body[list];
  if (!Array.isArray(items)) return body;
  const unread = { name: "", mimeType: "image/*", sha256: "", size: 0 };
  const change: Change = (id, at) => {
    if (typeof id !== "string") throw wrongType(at, "a string", id);
    return new NamedFile({ id, ...unread });
  };
  return { ...body, [list]: changeFiles(items as readonly unknown[], list, change) };
}

type JsonFields = { readonly [name: string]: unknown };

/** @throws RequestError 404 if there is no such file */
export function namedFile(file: FileRecord | undefined, at: string, given = ""): NamedFile {
  if (file === undefined) throw unknownFile(given, at);
  const { id, name, mimeType, sha256, bytes: size } = file;
  return new NamedFile({ id, name, mimeType, sha256, size });
}

type Change = (fileId: unknown, at: string) => unknown;

/** Replaces the `file_id` of each content part. Other items remain the same objects. */
function changeFiles(items: readonly unknown[], list: string, change: Change): readonly unknown[] {
  return items.map((item, index) => {
    if (!isObject(item)) return item;
    let changed = item;
    for (const member of ["content", "output"]) {
      const parts = item[member];
      if (!Array.isArray(parts)) continue;
      const at = `${list}[${index}].${member}`;
      const all = parts as readonly unknown[];
      const next = all.map((part, n) => changePart(part, `${at}[${n}]`, change));
      if (next.some((part, n) => part !== all[n])) changed = { ...changed, [member]: next };
    }
    return changed;
  });
}

function changePart(part: unknown, at: string, change: Change): unknown {
  if (!isObject(part)) return part;
  if (part["type"] === "file") {
    const { file } = part;
    const id = isObject(file) ? file["file_id"] : undefined;
    if (!isObject(file) || id == null) return part;
    return { ...part, file: { ...file, file_id: change(id, `${at}.file.file_id`) } };
  }
  if (part["type"] !== "input_image" && part["type"] !== "input_file") return part;
  const id = part["file_id"];
  return id == null ? part : { ...part, file_id: change(id, `${at}.file_id`) };
}

function unknownFile(id: string, param: string): RequestError {
  return new RequestError({
    status: 404,
    code: "file_not_found",
    param,
    message: `Invalid '${param}': there is no file "${id.slice(0, 100)}" here. GET /v1/files lists your files.`,
  });
}

/** @throws RequestError if a file that is used as an image is not one */
export function requireImage({ id, mimeType }: NamedFile, param: string): void {
  if (mimeType.startsWith("image/")) return;
  throw badRequest(
    param,
    `Invalid '${param}': the file "${id}" is not an image, but ${mimeType}. Send it as 'input_file'.`,
  );
}
