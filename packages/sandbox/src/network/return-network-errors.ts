import { type ToolError, toolError } from "@capstan/core";
import { NetworkError } from "./network-error.ts";

/** Runs a function, and returns its failures of addresses, sites and services as errors of the tool. */
export async function returnNetworkErrors<T>(run: () => Promise<T>): Promise<T | ToolError> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof NetworkError) return toolError(error.data);
    throw error;
  }
}
