/**
 * The reason why a tool cannot use data or a query. The tool returns it as an error to the model.
 */
export class DataProblem extends Error {
  readonly code: keyof typeof dataErrors;

  constructor(code: keyof typeof dataErrors, message: string) {
    super(message);
    this.name = "DataProblem";
    this.code = code;
  }
}

/** The errors of the data tools, apart from those of paths. */
export const dataErrors = {
  invalid_data: "The file or the variable is not valid in its format.",
  invalid_expression: "The expression cannot be computed; the message says where.",
  invalid_query: "The query is wrong; the message names tables and columns.",
  not_allowed: "The query does more than read.",
  too_large: "The file, the variable or the result exceeds a limit.",
  too_busy: "Too many calls are in the queue; the call can be repeated later.",
  too_slow: "The query or the expression exceeds its time or memory.",
  unclear_source: "The data is missing, or given in two forms.",
  unknown_sheet: "The workbook has no such sheet; the message names its sheets.",
  variable_not_found: "There is no variable of this name.",
};

/** Returns the problem for a call that finds the queue full. */
export function tooBusy(): DataProblem {
  return new DataProblem("too_busy", "Too many calls are in the queue. Call again later.");
}

/** The answer of a worker. */
export type DataAnswer<T> =
  | { readonly status: "done"; readonly value: T }
  | {
      readonly status: "problem";
      readonly code: keyof typeof dataErrors;
      readonly message: string;
    };

/** Returns the result of `work`, or the problem that it throws. */
export async function answerOf<T>(work: () => T | Promise<T>): Promise<DataAnswer<T>> {
  try {
    return { status: "done", value: await work() };
  } catch (thrown) {
    if (!(thrown instanceof DataProblem)) throw thrown;
    return { status: "problem", code: thrown.code, message: thrown.message };
  }
}
