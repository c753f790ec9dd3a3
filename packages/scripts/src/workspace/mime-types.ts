const office = "application/vnd.openxmlformats-officedocument";

const types: { readonly [extension: string]: string } = {
  ".txt": "text/plain",
  ".log": "text/plain",
  ".md": "text/markdown",
  ".csv": "text/csv",
  ".tsv": "text/tab-separated-values",
  ".html": "text/html",
  ".json": "application/json",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".pdf": "application/pdf",
  ".zip": "application/zip",
  ".docx": `${office}.wordprocessingml.document`,
  ".xlsx": `${office}.spreadsheetml.sheet`,
  ".pptx": `${office}.presentationml.presentation`,
};

/** Returns the MIME type of an extension such as `.png`, or that of unknown bytes. */
export function mimeTypeOf(extension: string): string {
  const known = extension.toLowerCase();
  return Object.hasOwn(types, known) ? (types[known] ?? "") : "application/octet-stream";
}
