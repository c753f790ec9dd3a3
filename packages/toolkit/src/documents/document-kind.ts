/** The kinds of documents that can be converted to Markdown. */
export type DocumentKind = "pdf" | "docx" | "xlsx" | "pptx" | "epub" | "html";

const office = "application/vnd.openxmlformats-officedocument";

const kinds: { readonly [mimeType: string]: DocumentKind } = {
  "application/pdf": "pdf",
  [`${office}.wordprocessingml.document`]: "docx",
  [`${office}.spreadsheetml.sheet`]: "xlsx",
  [`${office}.presentationml.presentation`]: "pptx",
  "application/epub+zip": "epub",
  "text/html": "html",
  "application/xhtml+xml": "html",
};

const unknownTypes = new Set(["", "application/octet-stream", "application/zip"]);

/**
 * Returns the kind of a document by its MIME type; if that is unknown, by the extension of its
 * name. Returns `undefined` for other files.
 *
 * @example documentKind({ name: "report.pdf", mimeType: "application/octet-stream" }); // "pdf"
 */
export function documentKind({
  name,
  mimeType,
}: {
  readonly name: string;
  readonly mimeType: string;
}): DocumentKind | undefined {
  const type = mimeType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (Object.hasOwn(kinds, type)) return kinds[type];
  if (!unknownTypes.has(type)) return undefined;
  const extension = /\.(pdf|docx|xlsx|pptx|epub|x?html?)$/i.exec(name)?.[1]?.toLowerCase();
  return extension?.includes("htm") === true ? "html" : (extension as DocumentKind | undefined);
}
