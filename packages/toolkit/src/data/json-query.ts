import { defineTool, type Tool } from "@capstan/core";
import { workerModule } from "@capstan/sandbox";
import { z } from "zod";
import { type FileToolsOptions, pathErrors } from "../files/file-roots.ts";
import { countOf } from "../text/format-bytes.ts";
import { dataErrors } from "./data-problem.ts";
import type { JsonJob, JsonMatches } from "./json-worker.ts";
import { readSource } from "./read-source.ts";
import { returnProblems, valueOf } from "./return-problems.ts";
import { runInLimits } from "./run-in-limits.ts";

const parameters = z.object({
  query: z.string().min(1).max(10_000).describe("e.g. $.items[?@.price < 10].name"),
  file: z.string().optional().describe("A file with JSON or JSON lines."),
  variable: z.string().optional().describe("A variable, e.g. FetchWebPage_1."),
  data: z.unknown().optional().describe("JSON as a value or a text."),
  limit: z
    .int()
    .min(1)
    .max(10_000)
    .default(200)
    .describe("The maximum number of values. Default 200."),
});

/** `JsonQuery`: finds values in JSON. */
export function jsonQuery(options: FileToolsOptions): Tool {
  return defineTool({
    name: "JsonQuery",
    description: "Finds values in JSON with a JSONPath (RFC 9535).",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Find the names of cheap items.",
        args: {
          query: "$.items[?@.price < 10].name",
          data: {
            items: [
              { name: "pen", price: 2 },
              { name: "lamp", price: 30 },
            ],
          },
        },
      },
    ],
    errors: { ...pathErrors, ...dataErrors },
    permission: {
      executionPolicy: "auto",
      readsVariables: ({ variable }) => (variable === undefined ? [] : [variable]),
    },
    compressArgs: ({ query, file, variable }) =>
      [query.slice(0, 200), file ?? variable].filter(Boolean).join(" in "),
    formatForLLM: formatMatches,
    execute: ({ query, limit, ...source }, context) =>
      returnProblems(async () => {
        const read = await readSource(source, options, context);
        const job: JsonJob = { query, limit, source: read };
        const module = workerModule("json-worker", import.meta.url);
        return valueOf(
          await runInLimits<JsonMatches>({
            module,
            input: job,
            user: context.principal.id,
            signal: context.signal,
            what: "The query",
          }),
        );
      }),
  });
}

function formatMatches({ values, paths, total }: JsonMatches): string {
  if (total === 0) return "Nothing matches.";
  const lines = values.map((value, at) => `${paths[at]}: ${JSON.stringify(value)}`);
  const left = total - values.length;
  const more = left === 0 ? "" : ` ${countOf(left, "more value")}: raise limit.`;
  return `${lines.join("\n")}\n[${countOf(values.length, "value")}.${more}]`;
}
