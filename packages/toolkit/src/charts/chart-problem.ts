import { type ToolError, toolError, type ToolErrorData } from "@capstan/core";

/** Data that cannot be drawn. The tools return it as a `toolError`. */
export class ChartProblem extends Error {
  readonly data: ToolErrorData;

  constructor(code: keyof typeof chartErrors, message: string) {
    super(message);
    this.name = "ChartProblem";
    this.data = { code, message };
  }
}

/** The errors of the chart tools. */
export const chartErrors = {
  duplicate_label: "Two values of a series have the same label.",
  invalid_date: "A column has dates and other texts.",
  invalid_value: "A value is not a finite number, or a slice is negative.",
  no_data: "There is nothing to draw.",
  not_drawn: "Drawing took too long or failed.",
  not_rows: "The variable does not hold a list of objects.",
  too_many_points: "There are more points than the chart shows.",
  unequal_lengths: "A series does not have one value for each label.",
  unknown_column: "No row has the column; the message names the columns.",
  unclear_source: "The data is missing, or given in two forms.",
  variable_not_found: "There is no variable of this name.",
};

/** Returns the result of `run`, or the error that its data caused. */
export async function returnChartProblems<T>(run: () => Promise<T>): Promise<T | ToolError> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof ChartProblem) return toolError(thrown.data);
    throw thrown;
  }
}
