import { ApiError } from "@capstan/client";
/** Returns the message of a thrown value, to show to users. */
export function messageOf(error: unknown): string {
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
