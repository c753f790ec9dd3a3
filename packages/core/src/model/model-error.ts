const marker = Symbol.for("capstan.model-error");

export type ModelErrorCode =
  /** The key is missing, wrong or lacks the right. */
  | "authentication"
  | "rate_limit"
  /** The account has no credit left. */
  | "insufficient_quota"
  /** The messages are longer than the model's context. */
  | "context_length"
  | "model_not_found"
  | "bad_request"
  /** The provider could not be reached, or the connection was lost. */
  | "connection"
  /** Nothing came for longer than allowed. */
  | "timeout"
  /** The provider failed, or sent what cannot be understood. */
  | "server";

export interface ModelErrorOptions {
  readonly code: ModelErrorCode;
  /** For people: what failed and what to do; never a key. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A model that cannot answer. The loop turns it into a run that failed, with what was done so far. */
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
