const marker = Symbol.for("capstan.error");

export interface CapstanErrorOptions {
  /** Stable, snake_case; what programs branch on. */
  readonly code: string;
  /** What was wrong, where, what was expected and what to do next. */
  readonly message: string;
  readonly cause?: unknown;
}

/**
 * A mistake in a program that uses Capstan (a duplicate tool, a broken schema). What a tool or a
 * model does wrong is never thrown: it is an outcome, as data.
 *
 * Checked by marker, not by class, so that two copies of the package agree.
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
