/**
 * Number of bytes in which a page's charset declaration is searched: the limit of the HTML standard
 * plus a reserve.
 */
const prescanBytes = 4096;

/**
 * Decodes a body. Takes the charset from the byte order mark, the header, or the page's `<meta>`,
 * in this order. The default is UTF-8. Ignores unknown charsets.
 */
export function decodeBody(body: Uint8Array, contentType: string): string {
  const label = charsetOfHeader(contentType) ?? charsetOfMeta(body) ?? "utf-8";
  return new TextDecoder(charsetOfMark(body) ?? label).decode(body);
}

function charsetOfMark(body: Uint8Array): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return "utf-8";
  if (body[0] === 0xfe && body[1] === 0xff) return "utf-16be";
  if (body[0] === 0xff && body[1] === 0xfe) return "utf-16le";
  return undefined;
}

function charsetOfHeader(contentType: string): string | undefined {
  return known(/charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1]);
}

function charsetOfMeta(body: Uint8Array): string | undefined {
  const beginning = Buffer.from(body.subarray(0, prescanBytes)).toString("latin1");
  const declared =
    /<meta\b[^>]{0,200}?charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(beginning)?.[1] ??
    /^<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([^"']+)/i.exec(beginning)?.[1];
  // A page cannot be UTF-16 if its declaration is readable as ASCII.
  return declared !== undefined && /^utf-?16/i.test(declared) ? "utf-8" : known(declared);
}

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** The conversion of a body into text; `refused` if it is not text. */
export type PageType = "html" | "text" | "refused";

const textual =
  /^(?:text\/|application\/(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|graphql|sql|x-sh)$)|\+(?:json|xml|yaml)$/;

/** Returns the conversion for a body by its header, or by its beginning if there is no header. */
export function pageType(contentType: string, body: Uint8Array): PageType {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (textual.test(type)) return "text";
  if (type !== "") return "refused";
  if (body.subarray(0, 1024).includes(0)) return "refused";
  const beginning = Buffer.from(body.subarray(0, 512)).toString("latin1").trimStart().toLowerCase();
  return /^<(?:!doctype html|html|head|body)/.test(beginning) ? "html" : "text";
}
