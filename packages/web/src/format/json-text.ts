import { shellTexts } from "../texts/shell.ts";

/** Returns JSON text with indentation, and other text unchanged. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Formats a call's arguments as JSON on one line, for a row: `path: "." · limit: 20`. */
export function argumentsLine(args: { readonly [key: string]: unknown }): string {
  return onLine(args, JSON.stringify);
}

/** Formats a call's arguments on one line without JSON: `path: . · limit: 20 · tags: …`. */
export function plainArgumentsLine(args: { readonly [key: string]: unknown }): string {
  return onLine(args, (value) =>
    typeof value === "object" && value !== null ? "…" : String(value),
  );
}

const limit = 120;

function onLine(
  args: { readonly [key: string]: unknown },
  format: (value: unknown) => string,
): string {
  const parts = Object.entries(args).map(([key, value]) => `${key}: ${format(value)}`);
  const line = parts.join(" · ");
  return line.length > limit ? `${line.slice(0, limit)}…` : line;
}

export type JsonObjectText =
  | { readonly type: "object"; readonly value: { readonly [key: string]: unknown } }
  | { readonly type: "invalid"; readonly message: string };

/** Parses a JSON object that the user typed. */
export function parseJsonObject(text: string): JsonObjectText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    return { type: "invalid", message: shellTexts.notJson(why) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { type: "invalid", message: shellTexts.notJsonObject };
  }
  return { type: "object", value: value as { readonly [key: string]: unknown } };
}
