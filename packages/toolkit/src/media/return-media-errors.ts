import type { ToolError } from "@capstan/core";
import { NetworkError, returnNetworkErrors } from "@capstan/sandbox";
import { returnFileErrors } from "../files/file-roots.ts";

/**
 * Runs a function, and returns failures of files, services and sources as tool errors.
 *
 * @param key the key of the service, which is removed from messages because the service may repeat
 * it
 */
export async function returnMediaErrors<T>(
  run: () => Promise<T>,
  key = "",
): Promise<T | ToolError> {
  return returnFileErrors(() => returnNetworkErrors(() => withoutKey(run, key)));
}

async function withoutKey<T>(run: () => Promise<T>, key: string): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (!(thrown instanceof NetworkError) || key === "") throw thrown;
    const { message } = thrown.data;
    throw new NetworkError({ ...thrown.data, message: message.replaceAll(key, "[key]") });
  }
}
