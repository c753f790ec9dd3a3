import type { CallResult } from "../run/run-event.ts";

type ContentPart = NonNullable<CallResult["parts"]>[number];

/** Returns the picture of a tool's event, for example a preview, or `null` if it has none. */
export function notePicture(data: unknown): ContentPart | null {
  const image: unknown = memberOf(data, "image");
  const source = memberOf(image, "source");
  const isPicture =
    memberOf(image, "type") === "image" &&
    typeof memberOf(image, "mimeType") === "string" &&
    memberOf(source, "type") === "base64" &&
    typeof memberOf(source, "data") === "string";
  return isPicture ? (image as ContentPart) : null;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { readonly [name: string]: unknown })[name];
}
