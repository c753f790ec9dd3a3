import {
  defineTool,
  type JsonValue,
  type Tool,
  type ToolContext,
  type ToolError,
  toolError,
} from "@capstan/core";
import { z } from "zod";
import { regexTimeoutMs, runRegex } from "../text/run-regex.ts";
import { runTextJob } from "./run-text-job.ts";
import { longestResult, tooLong } from "./text-operations.ts";

const operations = [
  "count",
  "upper",
  "lower",
  "title",
  "trim",
  "split",
  "join",
  "replace",
  "regex_find",
  "regex_replace",
  "lines",
  "slice",
  "sort",
  "unique",
  "base64_encode",
  "base64_decode",
  "url_encode",
  "url_decode",
  "hash",
] as const;

const parameters = z.object({
  operation: z
    .enum(operations)
    .describe(
      "split and join use separator; replace is literal; regex_* take RE2 patterns; lines picks lines from start (1-based); slice picks characters from start (0-based); sort and unique work on lines.",
    ),
  text: z.string().optional().describe("The input text (all operations except join)."),
  items: z.array(z.string()).optional().describe("join: the pieces."),
  separator: z.string().optional().describe("split, join. Default: a line end."),
  search: z.string().optional().describe("replace: the literal text to find."),
  pattern: z
    .string()
    .optional()
    .describe("regex_find, regex_replace: an RE2 pattern, without slashes."),
  replacement: z
    .string()
    .optional()
    .describe(
      "replace, regex_replace: the replacement; regex_replace supports $1, $<name> and $&. Default: nothing.",
    ),
  ignoreCase: z.boolean().default(false).describe("regex_*: ignore case."),
  multiline: z.boolean().default(false).describe("regex_*: ^ and $ match at every line."),
  max: z.int().min(1).max(10_000).default(100).describe("regex_find: matches to return."),
  start: z
    .int()
    .optional()
    .describe(
      "lines: first line, from 1. slice: first character, from 0; negative counts from the end.",
    ),
  count: z.int().min(0).optional().describe("lines, slice: how many. Default: the rest."),
  numeric: z.boolean().default(false).describe("sort: 2 comes before 10."),
  descending: z.boolean().default(false).describe("sort: descending."),
  algorithm: z.enum(["sha256", "sha512", "sha1", "md5"]).default("sha256").describe("hash."),
});

type Args = z.infer<typeof parameters>;

/**
 * `Text`: exact text operations, because models count and copy text unreliably. No pattern can
 * block it.
 */
export function text(): Tool {
  return defineTool({
    name: "Text",
    description:
      "Exact text operations: count characters and words, change case, trim, split, join, replace, find and replace with regular expressions, pick lines or characters, sort, remove duplicates, Base64, URL encoding, hashes.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Find all numbers.",
        args: { operation: "regex_find", text: "a1 b22", pattern: "[0-9]+" },
      },
    ],
    permission: { executionPolicy: "auto" },
    compressArgs: ({ operation }) => operation,
    execute: run,
  });
}

async function run(args: Args, context: ToolContext): Promise<JsonValue | ToolError> {
  if (args.operation === "join") return join(args);
  if (args.text === undefined) {
    return invalid("missing_argument", `"${args.operation}" needs "text", the input text.`);
  }
  if (args.operation === "regex_find" || args.operation === "regex_replace") {
    return regex(args, args.text, context);
  }
  const { operation, text: given } = args;
  return runTextJob(
    { type: "operation", args: { ...args, operation, text: given } },
    { user: context.principal.id, signal: context.signal },
  );
}

function join({ items, separator = "\n" }: Args): JsonValue | ToolError {
  if (items === undefined) return invalid("missing_argument", '"join" needs "items", the pieces.');
  const length = items.reduce((sum, item) => sum + item.length + separator.length, 0);
  if (length <= longestResult) return items.join(separator);
  const problem = tooLong(length);
  return invalid(problem.code, problem.message);
}

function invalid(code: string, message: string): ToolError {
  return toolError({ code, message });
}

async function regex(
  args: Args,
  text: string,
  { principal, signal }: ToolContext,
): Promise<JsonValue | ToolError> {
  const { pattern, ignoreCase, multiline, max, replacement = "" } = args;
  if (pattern === undefined || pattern === "") {
    return invalid("missing_argument", `"${args.operation}" needs "pattern".`);
  }
  const job = { text, pattern, ignoreCase, multiline };
  const result = await runRegex(
    args.operation === "regex_find"
      ? { ...job, type: "find", max }
      : { ...job, type: "replace", replacement, maxLength: longestResult },
    { signal, user: principal.id },
  );
  switch (result.status) {
    case "found":
      return { matches: result.matches.map((match) => ({ ...match })), more: result.more };
    case "replaced":
      return result.text;
    case "invalid":
      return invalid("invalid_pattern", result.message);
    case "too_long":
      return invalid("result_too_long", tooLong(result.length).message);
    case "unfinished":
      return invalid(
        "pattern_too_slow",
        `The pattern did not finish on ${text.length.toLocaleString("en-US")} characters in ${regexTimeoutMs / 1000} seconds and was stopped. Use a simpler pattern or less text.`,
      );
  }
}
