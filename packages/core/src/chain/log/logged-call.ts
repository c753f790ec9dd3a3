import type { CallRecord } from "../../call/record/call-record.ts";
import { neutralise } from "../../text/neutralise.ts";
import type { ContentPart } from "../../model/content-part.ts";
import { oneLine } from "../../text/truncate.ts";
import { type ResultStatus, resultStatusOf } from "../../call/record/call-status.ts";

/** Characters of a result that the log shows. */
export const logPreviewChars = 200;
const nameChars = 80;

/** A call as the log tells of it. */
export interface LoggedCall {
  readonly name: string;
  readonly args: string;
  readonly outcome: CallOutcome;
  /** The first characters of what it gave; empty where it gave nothing. */
  readonly preview: string;
  /** Pictures, files and links that it gave, by name. */
  readonly files: readonly string[];
  /** The variable with the exact value. */
  readonly value?: string;
  readonly argsValue?: string;
}

export function loggedCall(call: CallRecord): LoggedCall {
  const { cacheVarResult: value, cacheVarArgs: argsValue, preview = "" } = call.result ?? {};
  const outcome = callOutcome(call);
  return {
    name: neutralise(oneLine(call.name, nameChars)),
    args: shortArguments(call),
    outcome,
    preview: outcome.mark === "✓" ? preview.slice(0, logPreviewChars).toWellFormed() : "",
    files: (call.result?.parts ?? []).flatMap(fileName),
    ...(value !== undefined && { value }),
    ...(argsValue !== undefined && { argsValue }),
  };
}

function fileName(part: ContentPart): readonly string[] {
  switch (part.type) {
    case "text":
      return [];
    case "image":
      return [
        safe(part.source.type === "url" ? `image ${part.source.url}` : `image ${part.mimeType}`),
      ];
    case "file":
      return [safe(`file ${part.name}`)];
    case "link":
      return [safe(`link ${part.url}`)];
  }
}

function safe(name: string): string {
  return neutralise(oneLine(name, nameChars));
}

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

/** From so many like calls in a row on, one entry tells of them all. */
const group = 4;

/** Calls in their order, those that are alike and stand together as one group. */
export function groupCalls(calls: readonly LoggedCall[]): readonly (readonly LoggedCall[])[] {
  const runs: LoggedCall[][] = [];
  for (const call of calls) {
    const run = runs.at(-1);
    if (run?.[0] !== undefined && isLike(run[0], call)) run.push(call);
    else runs.push([call]);
  }
  return runs.flatMap((run) => (run.length < group ? run.map((call) => [call]) : [run]));
}

/** Where each has files of its own to name, each is told of by itself. */
function isLike(a: LoggedCall, b: LoggedCall): boolean {
  return (
    a.name === b.name &&
    a.outcome.words === b.outcome.words &&
    a.files.length + b.files.length === 0 &&
    (a.value === undefined) === (b.value === undefined)
  );
}

/** `["Search_1", "Search_30"]` where the values are numbered one after the other. */
export function numberedValues(
  calls: readonly LoggedCall[],
): readonly [first: string, last: string] | undefined {
  const [first, last] = [calls[0]?.value, calls.at(-1)?.value];
  const numbered = /^(.+_)(\d+)$/.exec(first ?? "");
  if (first === undefined || last === undefined || numbered === null) return undefined;
  const [, stem, start] = numbered;
  const inOrder = calls.every(({ value }, n) => value === `${stem}${Number(start) + n}`);
  return inOrder ? [first, last] : undefined;
}
