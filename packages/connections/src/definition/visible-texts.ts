import { visibleText } from "@capstan/core/text";

/** The maximum length of a description, in characters. */
export const longestDescription = 2_000;

/** Keywords whose texts users and models read, and which do not affect validation. */
export const annotationKeywords: ReadonlySet<string> = new Set([
  "title",
  "description",
  "$comment",
]);

/** Makes the invisible characters of a schema's texts visible. */
export function visibleTexts(value: unknown, key = "", inProperties = false): unknown {
  if (typeof value === "string")
    return annotationKeywords.has(key) && !inProperties
      ? cutText(value, longestDescription)
      : value;
  if (Array.isArray(value)) return value.map((item) => visibleTexts(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      visibleTexts(member, name, key === "properties"),
    ]),
  );
}

/** Returns a text with visible characters only, and an ellipsis if it was cut. */
export function cutText(text: string, length: number): string {
  const shown = visibleText(text.slice(0, length + 1));
  return shown.length > length ? `${shown.slice(0, length - 1)}…` : shown;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
