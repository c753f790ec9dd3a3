import type { ToolError } from "@capstan/core";
import { returnNetworkErrors } from "@capstan/sandbox";
import { returnFileErrors } from "../files/file-roots.ts";

/** Runs a function, and returns its failures of files, services and sources as errors of the tool. */
export async function returnMediaErrors<T>(run: () => Promise<T>): Promise<T | ToolError> {
  return returnFileErrors(() => returnNetworkErrors(run));
}
