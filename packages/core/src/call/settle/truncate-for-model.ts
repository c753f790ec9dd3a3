import { overlap } from "../../text/overlap.ts";
import { truncate, type Truncated, untruncated } from "../../text/truncate.ts";
import { truncateToTokens } from "../../text/truncate-to-tokens.ts";
import type { Tool } from "../../tool/tool.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { Gate } from "../gate/gate.ts";

export interface TruncateForModelOptions {
  readonly whole: string;
  readonly record: CallRecord;
  /** What a tool says of its results, how to cut them and that they be shown whole, is not said of its errors. */
  readonly isError: boolean;
}

/** Stage 9. Truncates a result as the tool does, else to its beginning and its end. */
export function truncateForModel(
  gate: Gate,
  tool: Tool,
  given: TruncateForModelOptions,
): Truncated {
  const { whole } = given;
  const own = given.isError ? undefined : toolTruncation(gate, tool, given);
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
function outputLimit(
  { limits }: Gate,
  tool: Tool,
  { record, isError }: TruncateForModelOptions,
): OutputLimit {
  const { DEFAULT_OUTPUT_LIMIT_TOKENS: tokens, DEFAULT_OUTPUT_LIMIT_CHAR: chars } = tool;
  if (record.limit !== undefined) return { unit: "characters", size: record.limit };
  if (tool.SKIP_EXTERNAL_TRUNCATE === true && !isError) return { unit: "characters", size: 0 };
  if (tokens !== undefined) return { unit: "tokens", size: tokens };
  if (chars !== undefined) return { unit: "characters", size: chars };
  if (limits.outputTokens !== undefined) return { unit: "tokens", size: limits.outputTokens };
  return { unit: "characters", size: limits.outputChars };
}

/** Truncates with the tool's `truncateForLLM`. Returns `undefined` if it has none, or if that fails. */
function toolTruncation(
  { limits }: Gate,
  tool: Tool,
  { whole, record }: TruncateForModelOptions,
): Truncated | undefined {
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
