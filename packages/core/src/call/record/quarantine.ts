import { neutralise } from "../../text/neutralise.ts";
import type { Truncated } from "../../text/truncate.ts";
import type { ReviewRequest } from "../../policy/review.ts";
import { contentParts } from "../../model/content-parts.ts";
import type { CallRecord, CallRetry } from "./call-record.ts";
import type { CallEnd, DraftResult, FormattedText } from "../settle/draft-result.ts";

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
    | Exclude<CallEnd, { readonly status: "success" }>;
  readonly formatted: FormattedText;
  readonly cut: Truncated;
  readonly durationMs: number;
  /** Failed tries say what went wrong, which is the result's, too. */
  readonly retries?: readonly CallRetry[];
}

/** A draft as it is journaled. */
export function quarantineOf(
  draft: DraftResult,
  retries: readonly CallRetry[] | undefined,
): Quarantine {
  const { end, formatted, cut, durationMs } = draft;
  const kept = { formatted, cut, durationMs, ...(retries !== undefined && { retries }) };
  if (end.status !== "success") return { ...kept, end };
  const isOther = typeof end.data === "string" && end.data !== formatted.text;
  return {
    ...kept,
    end: { status: "success", ...(isOther && { value: end.data }) },
  };
}

/** The draft that was journaled. */
export function draftOf({ end, formatted, cut, durationMs }: Quarantine): DraftResult {
  if (end.status !== "success") return { end, formatted, cut, durationMs };
  const { parts, text, data = text } = formatted;
  const value = parts === undefined ? (end.value ?? data) : contentParts(parts);
  return { end: { status: "success", data: value }, formatted, cut, durationMs };
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
