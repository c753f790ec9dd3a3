const marker = Symbol.for("capstan.model-error");

/** The codes of a model's errors. */
export type ModelErrorCode =
  /** The key is missing, invalid or lacks a permission. */
  | "authentication"
  | "rate_limit"
  /** The account has no remaining credit. */
  | "insufficient_quota"
  /** The messages are longer than the model's context. */
  | "context_length"
  | "model_not_found"
  | "bad_request"
  /** The provider could not be reached, or the connection was lost. */
  | "connection"
  /** No data arrived within the time limit. */
  | "timeout"
  /** The provider failed, or sent an invalid response. */
  | "server";

/** The options of `ModelError`. */
export interface ModelErrorOptions {
  readonly code: ModelErrorCode;
  /** For users: what failed and what to do. Never contains a key. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** An error of a model. The loop turns it into a failed run with the results so far. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly [marker] = true;

  constructor(options: ModelErrorOptions) {
    super(options.message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "ModelError";
    this.code = options.code;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }

  static isInstance(value: unknown): value is ModelError {
    return typeof value === "object" && value !== null && marker in value;
  }
}
