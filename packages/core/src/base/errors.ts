import type { JsonValue } from "./json.ts";

const marker = Symbol.for("capstan.error");

/** The options of `CapstanError`. */
export interface CapstanErrorOptions {
  /** Stable, in snake_case. Programs branch on it. */
  readonly code: string;
  /** States what was wrong, where, what was expected and what to do. */
  readonly message: string;
  readonly cause?: unknown;
}

/**
 * A mistake in a program that uses Capstan (a duplicate tool, a broken schema). Errors of a tool or
 * a model are never thrown: they are returned as data.
 *
 * `instanceof` checks a marker, not the class, so that it also works between two copies of the
 * package.
 */
export class CapstanError extends Error {
  readonly code: string;
  readonly [marker] = true;

  constructor(options: CapstanErrorOptions) {
    super(options.message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "CapstanError";
    this.code = options.code;
  }

  static isInstance(value: unknown): value is CapstanError {
    return typeof value === "object" && value !== null && marker in value;
  }
}

/** An error of a tool or a call, as data. Plain JSON. */
export interface ToolErrorData {
  /** Stable, in snake_case: `file_not_found`. */
  readonly code: string;
  /** The text for the model: what was wrong, and what to do instead. */
  readonly message: string;
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean;
  /** Ms to wait before the next attempt, for example from `Retry-After`. */
  readonly retryAfterMs?: number;
  readonly details?: JsonValue;
}

/** The maximum number of an `AggregateError`'s errors in its message. */
const several = 3;

/**
 * Returns the message of any thrown value. Never throws, and never returns an empty text. Omits an
 * error's `cause`, because the code that wrapped it may have meant to hide it.
 */
export function errorMessage(thrown: unknown): string {
  try {
    return messageOf(thrown) || "an error without a message";
  } catch {
    return "an error that cannot be shown";
  }
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return textOf(thrown);
  const message: unknown = thrown.message;
  if (message !== "") return textOf(message);
  if (thrown instanceof AggregateError && thrown.errors.length > 0)
    return thrown.errors.slice(0, several).map(errorMessage).join("; ");
  return thrown.name;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}
