import type { EncodedDeltas } from "../encode/encode-deltas.ts";
import type { Script } from "../sql/script.ts";
import { appendDelta } from "./rows/tail-rows.ts";
import { writableRun } from "./rows/writable-run.ts";
import type { Journaled } from "../records/write-results.ts";
import { foldOpenItems } from "./rows/write-events.ts";
import type { Writing } from "./state/decision.ts";

/** Adds to an item under way. */
export function* writeDeltas(
  writing: Writing,
  write: EncodedDeltas,
  at: number,
): Script<Journaled> {
  let run = writableRun(writing, write);
  if (run.status === "fenced") return run;
  const { lastSeq: seqBefore, status: runStatus } = run;
  const firstTail = writing.nextTail;
  const { itemId } = write;
  for (const delta of write.deltas)
    run = appendDelta(writing, run, {
      n: writing.nextTail++,
      seq: run.lastSeq + 1,
      itemId,
      delta,
    });
  // Only what is in progress may have deltas in the tail.
  if (runStatus !== "in_progress") run = yield* foldOpenItems(writing, run, at);
  writing.runs.set(run);
  return { status: "committed", seqBefore, firstTail, runStatus };
}
