import { copyJson, lostInJson } from "../../json/json-value.ts";
import { errorMessage, type ToolErrorData } from "../../base/errors.ts";
import type { JsonValue, ToolArgs } from "../../base/json.ts";
import { type ContentPart, contentPartsProblem } from "../../model/content-part.ts";
import { isContentParts } from "../../tool/return-value.ts";
import type { Tool } from "../../tool/tool.ts";
import type { Formatted, FormattedText } from "../record/call-outcome.ts";
import type { VariableValue } from "../../variables/variable.ts";
import { newId } from "../../base/id.ts";
import { compileSchema, isUnchecked } from "../../arguments/validator.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { Gate } from "../gate/gate.ts";
import { type Truncated, truncate, untruncated, truncateToTokens } from "../../text/truncate.ts";

/** The text for the model if a tool returned nothing. */
export const noResult = "(no result)";

/**
 * Stage 8. Formats a value with the tool's `formatForLLM`, else unchanged if it is text, else as
 * JSON. A value that JSON cannot represent (a cycle, a function, a BigInt, a stream) is a failure
 * that names the value.
 */
export function formatResult(
  tool: Tool,
  value: unknown,
  args: ToolArgs,
  gate: Partial<Pick<Gate, "storeFile" | "storedFiles">> = {},
): Formatted {
  try {
    if (isContentParts(value)) return formatParts(value.parts, gate);
    return format(tool, value, args);
  } catch (thrown) {
    // Any property access on an untrusted object may throw.
    return {
      status: "failed",
      message: `The returned value cannot be read: ${errorMessage(thrown)}`,
    };
  }
}

function formatParts(
  given: readonly ContentPart[],
  { storeFile, storedFiles }: Partial<Pick<Gate, "storeFile" | "storedFiles">>,
): Formatted {
  const problem = contentPartsProblem(given, (id, sha256) => storedFiles?.get(id) === sha256);
  if (problem !== undefined)
    return { status: "failed", message: `The returned value is unusable: ${problem}.` };
  const parts = copyJson(given).map((part) => withFileId(part, storeFile !== undefined));
  return { status: "formatted", text: parts.map(partText).join("\n"), parts };
}

/** Gives bytes the id under which `storeParts` stores them. A tool cannot choose an id. */
function withFileId(part: ContentPart, isStored: boolean): ContentPart {
  if ((part.type !== "image" && part.type !== "file") || part.source.type === "blob") return part;
  const { fileId: _chosen, ...plain } = part;
  return isStored && part.source.type === "base64" ? { ...plain, fileId: newId("file-") } : plain;
}

function format(tool: Tool, value: unknown, args: ToolArgs): Formatted {
  const json = toJson(value);
  if (json.status === "failed") return json;
  const data = json.data === undefined ? {} : { data: json.data };
  if (tool.formatForLLM !== undefined) {
    try {
      const text: unknown = tool.formatForLLM(value, args);
      if (typeof text === "string") return { status: "formatted", text, ...data };
      return { status: "failed", message: `formatForLLM returned ${typeof text}, not text.` };
    } catch (thrown) {
      return { status: "failed", message: `formatForLLM threw: ${errorMessage(thrown)}` };
    }
  }
  if (typeof value === "string") return { status: "formatted", text: value };
  if (value === undefined || value === null)
    return { status: "formatted", text: noResult, data: null };
  return { status: "formatted", text: json.text, ...data };
}

/**
 * Returns a formatted result as a variable's value: the text, and the data if the result has data.
 */
export function valueOf(formatted: FormattedText): VariableValue {
  const { text, data } = formatted;
  return data === undefined ? { text } : { text, data };
}

function toJson(
  value: unknown,
):
  | { readonly status: "json"; readonly text: string; readonly data: JsonValue | undefined }
  | { readonly status: "failed"; readonly message: string } {
  if (typeof value === "string") return { status: "json", text: value, data: undefined };
  if (value === undefined || value === null) return { status: "json", text: "null", data: null };
  if (
    typeof value === "function" ||
    typeof value === "symbol" ||
    typeof value === "bigint" ||
    isStream(value) ||
    ArrayBuffer.isView(value)
  ) {
    return {
      status: "failed",
      message: `It returned ${kindOf(value)}, which cannot be stored. Tools return text, plain data or content parts.`,
    };
  }
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) return { status: "json", text: "null", data: null };
    const lost = lostInJson(value, text);
    if (lost !== undefined) {
      const message = `The returned value contains ${lost}, which cannot be stored. Return plain data instead.`;
      return { status: "failed", message };
    }
    return { status: "json", text, data: JSON.parse(text) as JsonValue };
  } catch (thrown) {
    return {
      status: "failed",
      message: `The returned value is not plain data: ${errorMessage(thrown)}`,
    };
  }
}

function isStream(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    (Symbol.asyncIterator in value || "getReader" in value)
  );
}

function kindOf(value: unknown): string {
  if (ArrayBuffer.isView(value)) return "bytes";
  return typeof value === "object" ? "a stream" : `a ${typeof value}`;
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return `[image ${part.name === undefined ? "" : `${part.name} `}${part.mimeType}${idText(part)}]`;
    case "file":
      return `[file ${part.name} ${part.mimeType}${idText(part)}]`;
    case "link":
      return part.title === undefined ? part.url : `[${part.title}](${part.url})`;
  }
}

function idText({ fileId }: { readonly fileId?: string }): string {
  return fileId === undefined ? "" : ` ${fileId}`;
}

const maxIssues = 8;

/**
 * Returns an error if the result does not match the tool's declared schema. Does not check content
 * parts.
 */
export function resultSchemaError(
  { declaredReturnType, definition }: Tool,
  { data, text, parts }: FormattedText,
): ToolErrorData | undefined {
  const schema = declaredReturnType?.schema;
  if (schema === undefined || parts !== undefined) return undefined;
  const compiled = compileSchema(schema);
  if (compiled.status === "refused") return undefined;
  const issues = compiled.validator.validate(data === undefined ? text : data);
  // A large result of a tool that has run is not withheld because its check would take too long.
  if (issues.length === 0 || isUnchecked(issues)) return undefined;
  const lines = issues.slice(0, maxIssues).map(({ message }) => `- ${message}`);
  const message = `${definition.function.name} ran, but its result does not match its declared schema:\n${lines.join("\n")}\nDo not rely on its form; calling again likely gives the same.`;
  return { code: "unexpected_result", message };
}

interface TruncateForModelOptions {
  readonly whole: string;
  readonly record: CallRecord;
  /** True ignores the tool's own truncation and limit, which apply to results but not to errors. */
  readonly isError: boolean;
}

/**
 * Stage 9. Truncates a result with the tool's own function, or else to its beginning and its end.
 */
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
  /** 0 or less: no limit except the ceiling. */
  readonly size: number;
}

/** Returns the output limit: the model's limit if it set one, else the tool's, else the gate's. */
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

/**
 * Truncates with the tool's `truncateForLLM`. Returns `undefined` if it has none, or if that fails.
 */
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
  // The tool can insert any text, so only the beginning and the end of the whole text are counted
  // as shown.
  const { head, tail } = overlap(whole, text);
  const length = whole.length - head - tail;
  return head + tail >= text.length / 2
    ? { text, omitted: length, rest: { start: head, length } }
    : { text, omitted: Math.max(1, whole.length - text.length), rest: all };
}

/** The common beginning and end of two texts, in UTF-16 code units. */
interface Overlap {
  readonly head: number;
  readonly tail: number;
}

/**
 * Returns the longest common beginning of two texts and, after it, their longest common end. The
 * two do not overlap in either text.
 *
 * @example overlap("one two three", "one … three") // { head: 4, tail: 6 }
 */
function overlap(one: string, other: string): Overlap {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one.charCodeAt(head) === other.charCodeAt(head)) head++;
  let tail = 0;
  while (
    tail < most - head &&
    one.charCodeAt(one.length - 1 - tail) === other.charCodeAt(other.length - 1 - tail)
  )
    tail++;
  return { head, tail };
}
