import {
  type ContentPart,
  contentParts,
  type JsonObject,
  toolError,
  type ToolError,
} from "@capstan/core";
import { constants } from "node:os";
import type { ScriptReturn } from "../definition/script-function.ts";
import type { ResultPart, ScriptException } from "./worker/messages.ts";
import { maxFrameValues } from "./worker/frames.ts";
import type { CallEnd } from "./worker/script-worker.ts";

/** Returns the end of a call in the gate's form. */
export function scriptReturn(end: CallEnd): ScriptReturn {
  switch (end.type) {
    case "result":
      return { value: end.value, ...(end.text !== undefined && { formattedText: end.text }) };
    case "parts":
      return { value: contentParts(end.parts.map(contentPart)) };
    case "error":
      return { value: exceptionError(end.error, end.error.code ?? "script_failed") };
    case "not_loaded":
      return {
        value: exceptionError(end.error, "script_not_loaded", "The script does not load. "),
      };
    case "too_large":
      return { value: tooLarge(end) };
    case "crashed":
      return { value: crashed(end) };
    default:
      return end satisfies never;
  }
}

function contentPart(part: ResultPart): ContentPart {
  if (part.type === "value") {
    const text = typeof part.value === "string" ? part.value : JSON.stringify(part.value);
    return { type: "text", text };
  }
  const { name, mimeType, base64: data } = part;
  const source = { type: "base64", data } as const;
  return mimeType.startsWith("image/")
    ? { type: "image", name, source, mimeType }
    : { type: "file", name, source, mimeType };
}

function exceptionError(error: ScriptException, code: string, before = ""): ToolError {
  const { type, message, traceback, file, line, retryable = false } = error;
  const place = file === undefined ? "" : ` (${file}, line ${line ?? "?"})`;
  // An error that the script describes itself needs no details.
  const isOwn = error.code !== undefined;
  const details: JsonObject = { exception: type, traceback };
  return toolError({
    code,
    message: isOwn ? message : `${before}${type}: ${message}${place}`,
    retryable,
    ...(!isOwn && { details }),
  });
}

function tooLarge({
  bytes,
  hasManyValues,
}: Extract<CallEnd, { readonly type: "too_large" }>): ToolError {
  const problem = hasManyValues
    ? `more than ${maxFrameValues.toLocaleString("en-US")} values: numbers, texts, lists and objects`
    : `${Math.round(bytes / 1024 / 1024)} MB; the limit is 64 MB`;
  return toolError({
    code: "result_too_large",
    message: `The function returned ${problem}. Return less, return one text, or write a file.`,
  });
}

function crashed({ how, output }: Extract<CallEnd, { readonly type: "crashed" }>): ToolError {
  const signal = how !== undefined && "signal" in how ? signalName(how.signal) : undefined;
  const memory = signal === "SIGKILL" ? " It may have needed more memory than its limit." : "";
  const code = how !== undefined && "code" in how ? ` with code ${how.code}` : "";
  return toolError({
    code: "script_crashed",
    message: `The script's process ended${signal === undefined ? code : ` by ${signal}`} before the function returned.${memory}`,
    ...(output !== "" && { details: { output: output } }),
  });
}

function signalName(signal: number): string {
  const found = Object.entries(constants.signals).find(([, number]) => number === signal);
  return found?.[0] ?? `signal ${signal}`;
}
