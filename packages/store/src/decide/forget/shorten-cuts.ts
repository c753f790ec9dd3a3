import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type ShortenCuts = Extract<StoreWrite, { type: "shorten-cuts" }>;

/** Forgets how long each delta was, of runs that have ended: nothing else writes there any more. */
export function shortenCuts(
  { changes }: WriteContext,
  { events }: ShortenCuts,
): OutcomeOf<ShortenCuts> {
  for (const { runN, seq, cuts } of events) {
    changes.run(
      "UPDATE run_journal SET cuts = ? WHERE run_n = ? AND seq = ? AND cuts IS NOT NULL",
      cuts,
      runN,
      seq,
    );
  }
  return { status: "shortened" };
}
