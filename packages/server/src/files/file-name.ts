import { badRequest } from "../http/errors.ts";
import { mimeTypeOf } from "../http/data-source.ts";

/** The maximum length of a file's name, in bytes of UTF-8. */
const maxBytes = 255;

/** Control, formatting and bidirectional characters, lone surrogates, and separators of paths. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\]/u;

/**
 * Checks a file's name, which later appears in headers, on pages and in folders.
 *
 * @param param the name's path in the request
 * @throws RequestError if it is empty, too long, or has a character that is not safe in a name
 */
export function checkFileName(name: string, param: string): string {
  const expected = "Send a plain file name such as 'report.pdf'.";
  if (name === "" || name === "." || name === ".." || name.trim() === "")
    throw badRequest(param, `Invalid '${param}': the file has no name. ${expected}`);
  if (Buffer.byteLength(name) > maxBytes)
    throw badRequest(param, `Invalid '${param}': longer than ${maxBytes} bytes. ${expected}`);
  if (unsafe.test(name))
    throw badRequest(
      param,
      `Invalid '${param}': it has a path separator or an invisible character. ${expected}`,
    );
  return name;
}

const plainType = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}$/;

/** Returns the MIME type of a file: the given one, or that of its name if none is given. */
export function fileType(given: string | undefined, name: string): string {
  const type = given?.split(";")[0]?.trim().toLowerCase() ?? "";
  return plainType.test(type) && type !== "application/octet-stream" ? type : mimeTypeOf(name);
}

/**
 * Returns a `Content-Disposition` that makes browsers save the file.
 *
 * @example attachment("naïve.txt"); // `attachment; filename="na_ve.txt"; filename*=UTF-8''na%C3%AFve.txt`
 */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^ -~]|["%\\]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
