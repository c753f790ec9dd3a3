import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { type FileToolsOptions, pathErrors } from "../files/file-roots.ts";
import { dataErrors, DataProblem } from "./data-problem.ts";
import { formatRows } from "./format-rows.ts";
import { formatBytes } from "../text/format-bytes.ts";
import type { QueryJob } from "./query-tables.ts";
import { maxBytes, readSource, type SourceData } from "./read-source.ts";
import { returnProblems, valueOf } from "./return-problems.ts";
import { runQuery } from "./run-query.ts";

const parameters = z.object({
  sql: z.string().min(1).max(100_000).describe("One SELECT in SQLite's SQL."),
  tables: z
    .array(
      z.object({
        name: z
          .string()
          .regex(/^[\p{L}_][\p{L}\p{N}_]{0,62}$/u)
          .describe("Its name in the query."),
        file: z.string().optional().describe("CSV, TSV, JSON, JSON lines or XLSX."),
        variable: z.string().optional().describe("A variable with rows or such a text."),
        data: z.unknown().optional().describe("Rows as objects, or such a text."),
        format: z.enum(["csv", "tsv", "json", "jsonl", "xlsx"]).optional(),
        sheet: z.string().optional().describe("Of a workbook. Default: the first."),
        encoding: z.string().optional().describe("Default: recognised."),
        header: z.boolean().optional().describe("false: the columns are column_1, …"),
      }),
    )
    .min(1)
    .max(10),
  limit: z
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .describe("The maximum number of rows. Default 100."),
});

/** `TableQuery`: runs SQL over files and variables. */
export function tableQuery(options: FileToolsOptions): Tool {
  return defineTool({
    name: "TableQuery",
    description:
      'Runs one SELECT over tables from files and variables, each with a name. Columns keep their names; quote them as "Unit price". Dates are ISO texts; booleans are 0 and 1.',
    parameters,
    effects: "read",
    examples: [
      {
        title: "Add up a column by groups.",
        args: {
          sql: "SELECT region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY total DESC",
          tables: [{ name: "sales", data: "region,amount\nNorth,12\nSouth,7\nNorth,3" }],
        },
      },
    ],
    errors: { ...pathErrors, ...dataErrors },
    permission: {
      executionPolicy: "auto",
      readsVariables: ({ tables }) =>
        tables.flatMap(({ variable }) => (variable === undefined ? [] : [variable])),
    },
    compressArgs: ({ sql }) => sql.slice(0, 200),
    formatForLLM: formatRows,
    execute: ({ sql, tables, limit }, context) =>
      returnProblems(async () => {
        const names = tables.map(({ name }) => name.toLowerCase());
        const twice = names.find((name, at) => names.indexOf(name) !== at);
        if (twice !== undefined) throw twoTables(twice);
        const read = async (): Promise<QueryJob> => {
          const sources: QueryJob["tables"][number][] = [];
          let bytes = 0;
          for (const { name, file, variable, data, ...how } of tables) {
            context.output.progress({ message: `Reading ${file ?? variable ?? name}` });
            const source = await readSource({ file, variable, data }, options, context);
            bytes += sizeOf(source);
            if (bytes > maxBytes)
              throw new DataProblem(
                "too_large",
                `The tables have more than ${formatBytes(maxBytes)} together. Query fewer, or smaller ones.`,
              );
            sources.push({ name, source, options: how });
          }
          return { sql, maxRows: limit, tables: sources };
        };
        const { signal, principal } = context;
        return valueOf(await runQuery(read, { user: principal.id, signal }));
      }),
  });
}

function sizeOf(source: SourceData): number {
  if (source.kind === "bytes") return source.bytes.length;
  return source.kind === "text" ? source.text.length : 0;
}

function twoTables(name: string): DataProblem {
  return new DataProblem("invalid_query", `Two tables have the name "${name}".`);
}
