import { findSandbox } from "@capstan/sandbox";

let found: ReturnType<typeof findSandbox> | undefined;

/** Returns the sandbox of this process. Only the first call searches for it and tests it. */
export function processSandbox(): ReturnType<typeof findSandbox> {
  return (found ??= findSandbox());
}
