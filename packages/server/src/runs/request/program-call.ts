import type { RunRequest } from "./run-request.ts";

/** Returns whether a run is one call of a program, which reads no history of earlier runs. */
export function isProgramCall({ call }: Pick<RunRequest, "call">): boolean {
  return call?.ofProgram !== undefined;
}
