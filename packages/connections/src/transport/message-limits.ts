import { type JsonSize, measureJson } from "@capstan/core/base";

// The thread that parses long messages loads this file, so keep its imports small.

/** The largest message of a server, in bytes. */
export const largestMessage = 16 * 1024 * 1024;

/** The maximum number of JSON values in a message, objects and lists included. */
export const mostValues = 50_000;

/** The maximum depth of nested objects and lists in a message. */
const mostLevels = 10_000;

/** The limits of a message for `measureJson`. */
export const messageLimits = { values: mostValues, levels: mostLevels } as const;

/** The result of parsing a message. */
export type ParsedMessage =
  | { readonly status: "parsed"; readonly message: unknown; readonly values: number }
  | { readonly status: "invalid" }
  | { readonly status: Exclude<JsonSize["status"], "measured"> };

/** Parses a message, unless it has too many values or levels. */
export function parseLimited(bytes: Uint8Array): ParsedMessage {
  const size = measureJson(bytes, messageLimits);
  if (size.status !== "measured") return size;
  try {
    const message: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return { status: "parsed", message, values: size.values };
  } catch {
    return { status: "invalid" };
  }
}

/** Describes the limit that a message exceeds: "more than 16 MB". */
export function exceededLimit(
  status: "too_large" | "too_many_values" | "too_deep",
  maxBytes: number = largestMessage,
): string {
  if (status === "too_large") return `more than ${maxBytes / 1024 / 1024} MB`;
  return status === "too_deep"
    ? `more than ${mostLevels} nested levels`
    : `more than ${mostValues} JSON values`;
}
