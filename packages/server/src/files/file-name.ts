import { badRequest } from "../http/errors.ts";
import { fileNameProblem } from "../runs/files/file-name.ts";

/**
 * Returns the name of a client's file.
 *
 * @param param the name's path in the request
 * @throws RequestError if it is empty, too long, or has a character that is not safe in a name
 */
export function checkFileName(name: string, param: string): string {
  const problem = fileNameProblem(name);
  if (problem === undefined) return name;
  const expected = "Send a plain file name such as 'report.pdf'.";
  throw badRequest(param, `Invalid '${param}': ${problem}. ${expected}`);
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
