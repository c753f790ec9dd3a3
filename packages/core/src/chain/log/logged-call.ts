import type { CallRecord } from "../../call/record/call-record.ts";
import { neutralise } from "../../text/neutralise.ts";
import type { ContentPart } from "../../model/content-part.ts";
import { type CallOutcome, callOutcome } from "./call-outcome.ts";
import { oneLine } from "../../text/truncate.ts";
import { shortArguments } from "./short-arguments.ts";

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
