import { contentParts } from "../../tool/return-value.ts";
import type { Quarantine } from "../record/quarantine.ts";
import type { DraftResult } from "./draft-result.ts";
import type { CallRetry } from "../record/call-record.ts";

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
