import type { EncodedRequest, EncodedWrite } from "../../encode/run-commit.ts";
import { isAccepted } from "../../records/write-outcomes.ts";
import type { AppliedOutcome, WriteResult } from "../../records/write-results.ts";

/** The calls of one transaction. */
export interface Batch {
  readonly number: number;
  readonly requests: readonly EncodedRequest[];
  /** Those that it names, once they are looked up. */
  runs: ReadonlySet<string>;
  /** Once all is decided, and the commit on its way. */
  results: readonly WriteResult[] | undefined;
}

/** Returns the accepted writes of a batch with their outcomes. */
export function* acceptedWrites({
  requests,
  results,
}: Batch): Generator<readonly [EncodedWrite, AppliedOutcome]> {
  for (const [index, { writes }] of requests.entries()) {
    const result = results?.[index];
    if (result === undefined || "error" in result) continue;
    for (const [position, write] of writes.entries()) {
      const outcome = result.outcomes[position];
      if (outcome !== undefined && isAccepted(outcome)) yield [write, outcome];
    }
  }
}
