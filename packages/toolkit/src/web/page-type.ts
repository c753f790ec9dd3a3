/** How a body is turned into text; `refused` where it is none. */
export type PageType = "html" | "text" | "refused";

const textual =
  /^(?:text\/|application\/(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|graphql|sql|x-sh)$)|\+(?:json|xml|yaml)$/;

/** By the header; where that says nothing, by how the body begins. */
export function pageType(contentType: string, body: Uint8Array): PageType {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (textual.test(type)) return "text";
  if (type !== "") return "refused";
  if (body.subarray(0, 1024).includes(0)) return "refused";
  const beginning = Buffer.from(body.subarray(0, 512)).toString("latin1").trimStart().toLowerCase();
  return /^<(?:!doctype html|html|head|body)/.test(beginning) ? "html" : "text";
}
