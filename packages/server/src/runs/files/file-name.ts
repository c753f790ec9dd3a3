import { getExtension, getMimeType } from "hono/utils/mime";

/** The maximum length of a file's name, in bytes of UTF-8. */
const maxBytes = 255;

/** Control, formatting and bidirectional characters, lone surrogates, and separators of paths. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\]/u;

/**
 * Returns the problem of a file's name, which later appears in headers, on pages and in folders; or
 * undefined if the name is safe.
 */
export function fileNameProblem(name: string): string | undefined {
  if (name === "" || name === "." || name === ".." || name.trim() === "")
    return "the file has no name";
  if (Buffer.byteLength(name) > maxBytes) return `longer than ${maxBytes} bytes`;
  return unsafe.test(name) ? "it has a path separator or an invisible character" : undefined;
}

/**
 * Returns a safe name for a file of a tool: unsafe characters are replaced, a long name is cut
 * before its extension, and a name without extension gets that of its type.
 *
 * @example safeFileName("../plot", "image/png"); // ".._plot.png"
 */
export function safeFileName(name: string, mimeType: string): string {
  const plain = name.toWellFormed().replaceAll(new RegExp(unsafe, "gu"), "_").trim();
  const extension = /\.[\w-]{1,16}$/.exec(plain)?.[0];
  const stem = extension === undefined ? plain : plain.slice(0, -extension.length);
  const ofType = getExtension(mimeType);
  const end = extension ?? (ofType === undefined ? "" : `.${ofType}`);
  let cut = /^[. ]*$/.test(stem) ? `file${stem === "" ? "" : "_"}` : stem;
  while (Buffer.byteLength(cut + end) > maxBytes) cut = cut.slice(0, -1).toWellFormed();
  return cut + end;
}

const plainType = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}$/;

/** Returns the MIME type of a file: the given one, or that of its name if none is given. */
export function fileType(given: string | undefined, name: string): string {
  const type = given?.split(";")[0]?.trim().toLowerCase() ?? "";
  return plainType.test(type) && type !== "application/octet-stream" ? type : mimeTypeOf(name);
}

/** Returns the MIME type of a file name's extension, or that of unknown bytes. */
export function mimeTypeOf(name: string): string {
  return getMimeType(name)?.split(";")[0] ?? "application/octet-stream";
}
