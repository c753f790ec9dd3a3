import type { CallRecord } from "./call-record.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";

/** A call that has ended: its row, and what its caller gets. */
export interface Settled {
  readonly status: "settled";
  readonly record: CallRecord;
  readonly result: SettledToolResult;
}

/** Characters of a result that its row and the log keep. */
export const previewChars = 200;
