/** A mistake in the arguments of a text operation, for the model. */
export class TextProblem extends Error {
  override readonly name = "TextProblem";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The outcome of an operation. It is plain data, so that a process can send it. */
export type TextOutcome<T> =
  | { readonly status: "done"; readonly value: T }
  | { readonly status: "invalid"; readonly code: string; readonly message: string };

/** Runs an operation, and returns its problem as data. */
export function outcomeOf<T>(operation: () => T): TextOutcome<T> {
  try {
    return { status: "done", value: operation() };
  } catch (thrown) {
    if (!(thrown instanceof TextProblem)) throw thrown;
    return { status: "invalid", code: thrown.code, message: thrown.message };
  }
}
