import type { ReviewRequest } from "../../policy/review.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { CallRecord } from "./call-record.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";

/** A call that has ended: its row, and what its caller gets. */
export interface SettledCall {
  readonly status: "settled";
  readonly record: CallRecord;
  readonly result: SettledToolResult;
}

/** A call that ran and whose result a person must see first. Its record is enough to settle it. */
export interface CallInReview {
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
  readonly request: ReviewRequest;
}

/** A call that ran: it has ended, or a person must see its result first. */
export type SettleOutcome = SettledCall | ({ readonly status: "in_review" } & CallInReview);

/** Characters of a result that its row and the log keep. */
export const previewChars = 200;
