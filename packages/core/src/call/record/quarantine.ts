import type { FormattedText, DraftOutcome } from "./tool-outcome.ts";
import { neutralise } from "../../text/neutralise.ts";
import type { Truncated } from "../../text/truncate.ts";
import type { ReviewRequest } from "../../policy/review.ts";
import type { CallRecord, CallRetry } from "./call-record.ts";

/**
 * A result that nobody but its reviewer may read: plain JSON, enough for another process to settle
 * the call from. It is on the call's row while the review is due, and gone once the call is settled.
 */
export interface Quarantine {
  readonly end:
    | {
        readonly status: "success";
        /** What the tool returned, where that is a text that it shows in another form. */
        readonly value?: string;
      }
    | Exclude<DraftOutcome, { readonly status: "success" }>;
  readonly formatted: FormattedText;
  readonly cut: Truncated;
  readonly durationMs: number;
  /** Failed tries say what went wrong, which is the result's, too. */
  readonly retries?: readonly CallRetry[];
}

/** What the reviewer is shown of a call in quarantine; undefined for any other. */
export function reviewRequestOf({
  review,
  quarantine,
  args = {},
}: Pick<CallRecord, "review" | "quarantine" | "args">): ReviewRequest | undefined {
  if (review === undefined || quarantine === undefined) return undefined;
  const { formatted, cut } = quarantine;
  const { text, parts } = formatted;
  const shown = neutralise(cut.text);
  return { ...review, args, text, shown, ...(parts !== undefined && { parts }) };
}
