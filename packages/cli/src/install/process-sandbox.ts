import { findSandbox } from "@capstan/sandbox";

let found: ReturnType<typeof findSandbox> | undefined;

/**
 * Returns the sandbox of this process. The first call finds and tests it, and later calls return
 * the same one.
 */
export function processSandbox(): ReturnType<typeof findSandbox> {
  return (found ??= findSandbox());
}
