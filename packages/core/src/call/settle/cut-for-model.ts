import { overlap } from "../../text/overlap.ts";
import { truncate, type Truncated, untruncated } from "../../text/truncate.ts";
import { truncateToTokens } from "../../text/truncate-to-tokens.ts";
import type { Tool } from "../../tool/tool.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { Gate } from "../gate/gate.ts";

export interface ToCut {
  readonly whole: string;
  readonly record: CallRecord;
  /** What a tool says of its results, how to cut them and that they be shown whole, is not said of its errors. */
  readonly isError: boolean;
}

/** Stage 9. A tool's own cut, else the head and the tail of what is too long. */
export function cutForModel(gate: Gate, tool: Tool, given: ToCut): Truncated {
  const { whole } = given;
  const own = given.isError ? undefined : ownCut(gate, tool, given);
  if (own !== undefined) return own;
  const ceiling = gate.limits.outputCeilingChars;
  const limit = outputLimit(gate, tool, given);
  const size = limit.size <= 0 ? ceiling : limit.size;
  if (limit.size <= 0 || limit.unit === "characters")
    return truncate(whole, Math.min(size, ceiling));
  const { countTokens } = gate;
  return truncateToTokens(whole, { tokens: size, countTokens, maxChars: ceiling });
}

interface OutputLimit {
  readonly unit: "characters" | "tokens";
  /** 0 or less: no limit but the ceiling. */
  readonly size: number;
}

/** The model's own wish goes first, then the tool's, then what the gate was given. */
function outputLimit({ limits }: Gate, tool: Tool, { record, isError }: ToCut): OutputLimit {
  const { DEFAULT_OUTPUT_LIMIT_TOKENS: tokens, DEFAULT_OUTPUT_LIMIT_CHAR: chars } = tool;
  if (record.limit !== undefined) return { unit: "characters", size: record.limit };
  if (tool.SKIP_EXTERNAL_TRUNCATE === true && !isError) return { unit: "characters", size: 0 };
  if (tokens !== undefined) return { unit: "tokens", size: tokens };
  if (chars !== undefined) return { unit: "characters", size: chars };
  if (limits.outputTokens !== undefined) return { unit: "tokens", size: limits.outputTokens };
  return { unit: "characters", size: limits.outputChars };
}

/** What the tool itself shows; undefined where it does not say, or fails to. */
function ownCut({ limits }: Gate, tool: Tool, { whole, record }: ToCut): Truncated | undefined {
  if (tool.truncateForLLM === undefined) return undefined;
  let text: unknown;
  try {
    const args = record.limit === undefined ? record.args : { ...record.args, limit: record.limit };
    text = tool.truncateForLLM(whole, args ?? {});
  } catch {
    return undefined;
  }
  if (typeof text !== "string") return undefined;
  const shown = truncate(text, limits.outputCeilingChars);
  const all = { start: 0, length: whole.length };
  if (shown.omitted > 0)
    return { text: shown.text, omitted: Math.max(1, whole.length - text.length), rest: all };
  if (text.includes(whole)) return untruncated(text);
  // Whatever the tool put between them: of the whole, a beginning and an end are shown.
  const { head, tail } = overlap(whole, text);
  const length = whole.length - head - tail;
  return head + tail >= text.length / 2
    ? { text, omitted: length, rest: { start: head, length } }
    : { text, omitted: Math.max(1, whole.length - text.length), rest: all };
}
