import { parentPort } from "node:worker_threads";
import { parseLimited, type ParsedMessage } from "./message-limits.ts";

parentPort?.on("message", (bytes: Uint8Array) => {
  try {
    post(parseLimited(bytes));
  } catch {
    // A value that is nested deeply cannot be copied to another thread.
    post({ status: "too_deep" });
  }
});

function post(parsed: ParsedMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread is not a window
  parentPort?.postMessage(parsed);
}
