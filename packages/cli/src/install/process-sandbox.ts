import { findSandbox } from "@capstan/sandbox";

let found: ReturnType<typeof findSandbox> | undefined;

/** Returns the sandbox of this process, which is tried out once. */
export function processSandbox(): ReturnType<typeof findSandbox> {
  return (found ??= findSandbox());
}
