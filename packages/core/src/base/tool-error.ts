import type { JsonValue } from "./json.ts";

const marker = Symbol.for("capstan.tool-error");

export interface ToolErrorData {
  /** Stable, snake_case: `file_not_found`. */
  readonly code: string;
  /** What the model reads: what was wrong, and what to do instead. */
  readonly message: string;
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean;
  /** Ms to wait before the next try, e.g. from `Retry-After`. */
  readonly retryAfterMs?: number;
  readonly details?: JsonValue;
}

export interface ToolError extends ToolErrorData {
  readonly [marker]: true;
}

/**
 * A failure as a tool returns it. A tool may also throw; then the code is `tool_threw`.
 *
 * @example return toolError({ code: "file_not_found", message: `No file ${path}. ListFiles shows what there is.` });
 */
export function toolError(data: ToolErrorData): ToolError {
  return { ...data, [marker]: true };
}

export function isToolError(value: unknown): value is ToolError {
  return typeof value === "object" && value !== null && marker in value;
}
