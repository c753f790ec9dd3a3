import { shortJson } from "../../json/short-json.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import type { CallRecord } from "./call-record.ts";

/** An error as a model reads it. */
export function errorText(error: ToolErrorData): string {
  const details = error.details === undefined ? "" : `\n${shortJson(error.details, 2_000)}`;
  const retry = error.retryable === true ? `\nThe same call may succeed ${whenOf(error)}.` : "";
  return `Error (${error.code}): ${error.message}${details}${retry}`;
}

function whenOf({ retryAfterMs }: ToolErrorData): string {
  return retryAfterMs === undefined ? "later" : `in ${Math.ceil(retryAfterMs / 1000)} s`;
}

/** A result that a person withheld, as a model reads it. */
export function withheldText(reason: string): string {
  return `It ran, but its result was withheld from you: ${reason.replace(/\.$/, "")}. Do without it; do not run it again to see it.`;
}

/** A refusal as a model reads it. */
export function rejectionText(record: CallRecord, reason: string): string {
  const who =
    record.decision?.by === "person" ? "A person refused this call" : "This call is not allowed";
  return `${who}: ${reason.replace(/\.$/, "")}. It was not run. Heed the reason; do not try the same again.`;
}
