import type { EncodedDeltas } from "../encode/encode-deltas.ts";
import type { Script } from "../sql/script.ts";
import { appendDelta } from "./rows/tail-rows.ts";
import { writableRun } from "./rows/writable-run.ts";
import type { Journaled } from "../records/write-results.ts";
import { foldOpenItems } from "./rows/write-events.ts";
import type { WriteContext } from "./state/write-context.ts";

/** Adds to an item under way. */
export function* writeDeltas(
  context: WriteContext,
  write: EncodedDeltas,
  at: number,
): Script<Journaled> {
  let run = writableRun(context, write);
  if (run.status === "fenced") return run;
  const { lastSeq: seqBefore, status: runStatus } = run;
  const firstTail = context.nextTail;
  const { itemId } = write;
  for (const delta of write.deltas)
    run = appendDelta(context, run, {
      n: context.nextTail++,
      seq: run.lastSeq + 1,
      itemId,
      delta,
    });
  // Only what is in progress may have deltas in the tail.
  if (runStatus !== "in_progress") run = yield* foldOpenItems(context, run, at);
  context.runs.set(run);
  return { status: "committed", seqBefore, firstTail, runStatus };
}
