import { ApiError } from "@capstan/client";
import { errorsTexts } from "../texts/errors.ts";

/** Returns the message of a thrown value in the language of the page, if its code has a text. */
export function messageOf(error: unknown): string {
  const texts: { readonly [code: string]: (message: string) => string } = errorsTexts;
  if (error instanceof ApiError && Object.hasOwn(texts, error.code))
    return texts[error.code]?.(error.message) ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/**
 * Removes the field path from the start of an error message, if the message is shown next to the
 * field.
 *
 * @example withoutPlace("tool: there is no tool x.", "tool") // "There is no tool x."
 */
export function withoutPlace(message: string, place: string): string {
  const begins = `${place}: `;
  if (!message.startsWith(begins)) return message;
  const rest = message.slice(begins.length);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Returns whether the server answered with this status. */
export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

/** Returns whether the caller aborted the request. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
