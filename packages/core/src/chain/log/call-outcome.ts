import type { CallRecord } from "../../call/record/call-record.ts";
import { type ResultStatus, resultStatusOf } from "../../call/record/call-status.ts";
import { neutralise } from "../../text/neutralise.ts";
import { oneLine } from "../../text/truncate.ts";

const reasonChars = 160;

/** How a call ended, in the words of the log. */
export interface CallOutcome {
  readonly mark: "✓" | "✗" | "⚠" | "…";
  readonly words: string;
}

const outcomes: { readonly [status in ResultStatus]: CallOutcome } = {
  success: { mark: "✓", words: "Success" },
  error: { mark: "✗", words: "Failed" },
  timed_out: { mark: "✗", words: "Timed out" },
  not_found: { mark: "✗", words: "No such tool" },
  cancelled: { mark: "✗", words: "Stopped" },
  execution_rejected: { mark: "⚠", words: "Refused, not run" },
  result_rejected: { mark: "⚠", words: "It ran, its result was withheld" },
  outcome_unknown: { mark: "⚠", words: "Outcome unknown" },
  pending: { mark: "…", words: "Not finished" },
};

export function callOutcome({ status, result, edited }: CallRecord): CallOutcome {
  const { mark, words } = outcomes[resultStatusOf[status]];
  const reason = result?.rejectReason ?? result?.error?.message;
  const why = reason === undefined ? "" : `: ${oneLine(reason, reasonChars)}`;
  const changed = edited === true ? " (a person changed the arguments)" : "";
  return { mark, words: neutralise(words + changed + why) };
}
