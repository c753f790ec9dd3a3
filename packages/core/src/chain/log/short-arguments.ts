import type { CallRecord } from "../../call/record/call-record.ts";
import { neutralise } from "../../text/neutralise.ts";
import { oneLine } from "../../text/truncate.ts";

const argumentsChars = 160;
/** A string of this length may be an address, a path or an id, which would be useless in part. */
const wholeString = 64;
const cutString = 24;
/** Longer arguments are not worth parsing for one line. */
const parsedChars = 100_000;

/**
 * A call's arguments on one line: in the tool's own short words, or as the model wrote them, so
 * that a reference stays a reference; what a person changed them to, where one did. Long texts
 * within are cut first, so that what stands beside them stays whole.
 */
export function shortArguments({ result, edited, args, argumentsText }: CallRecord): string {
  const own = result?.argsPreview;
  const written = edited === true && args !== undefined ? JSON.stringify(args) : argumentsText;
  return neutralise(oneLine(own ?? withoutLongStrings(written.trim() || "{}"), argumentsChars));
}

function withoutLongStrings(json: string): string {
  if (json.length <= argumentsChars || json.length > parsedChars) return json;
  try {
    return JSON.stringify(JSON.parse(json), (_key, value: unknown) =>
      typeof value === "string" && value.length > wholeString
        ? `${value.slice(0, cutString).toWellFormed()}…`
        : value,
    );
  } catch {
    return json;
  }
}
