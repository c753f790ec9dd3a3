import { type ToolError, toolError } from "@capstan/core";
import { NetworkError } from "@capstan/sandbox";
import { returnFileErrors } from "../files/file-roots.ts";

/** Runs a function, and returns its failures of files, services and sources as errors of the tool. */
export async function returnMediaErrors<T>(run: () => Promise<T>): Promise<T | ToolError> {
  return returnFileErrors(async () => {
    try {
      return await run();
    } catch (error) {
      if (error instanceof NetworkError) return toolError(error.data);
      throw error;
    }
  });
}
