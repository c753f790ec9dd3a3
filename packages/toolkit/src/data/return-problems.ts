import { type ToolError, toolError } from "@capstan/core";
import { returnFileErrors } from "../files/file-roots.ts";
import { type DataAnswer, DataProblem } from "./data-problem.ts";

/** Returns the result of `run`, or the error of its path, its data or its query. */
export async function returnProblems<T>(run: () => Promise<T>): Promise<T | ToolError> {
  try {
    return await returnFileErrors(run);
  } catch (thrown) {
    if (!(thrown instanceof DataProblem)) throw thrown;
    return toolError({ code: thrown.code, message: thrown.message });
  }
}

/** Returns the value of a worker's answer. @throws DataProblem */
export function valueOf<T>(answer: DataAnswer<T>): T {
  if (answer.status === "problem") throw new DataProblem(answer.code, answer.message);
  return answer.value;
}
