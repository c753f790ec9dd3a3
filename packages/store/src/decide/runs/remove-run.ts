import type { WriteContext } from "../state/write-context.ts";

/** Removes a run's own row. Its number may be given again: nothing of the tail may become another run's. */
export function removeRun({ changes, trim }: WriteContext, n: number): void {
  // Of a run that has ended the tail has only what is still to be taken out.
  if (trim?.isEmpty === false) changes.remove("tail", { run_n: n });
  changes.remove("runs", { n });
}
