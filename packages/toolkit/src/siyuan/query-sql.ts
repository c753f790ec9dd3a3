import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { returnKernelErrors } from "./kernel/kernel-error.ts";
import { hasLimit, readStatementProblem } from "./kernel/read-statement.ts";
import { rowsReply } from "./kernel/replies.ts";
import { kernelErrors, type SiyuanAccess } from "./siyuan-options.ts";

/** The kernel's default limit for statements without a LIMIT, in rows. */
const kernelLimit = 64;

const parameters = z.object({
  sql: z
    .string()
    .min(1)
    .max(20_000)
    // The schema checks the statement, so that the gate rejects it before it requests an approval.
    .refine((sql) => readStatementProblem(sql) === undefined, {
      error: ({ input }) => readStatementProblem(String(input)),
    })
    .describe("One SELECT of SQLite, with a LIMIT."),
});

interface Rows {
  readonly rows: readonly { readonly [column: string]: unknown }[];
  /** Whether the kernel's own limit has probably truncated the rows. */
  readonly cut: boolean;
}

/** `querySQL`: runs a read-only statement on the index of the notes. */
export function querySql({ ask }: SiyuanAccess): Tool {
  return defineTool({
    name: "querySQL",
    description:
      "Runs one SELECT on the index of SiYuan: the tables blocks, attributes and refs. Rule/siyuan/sql-overview lists them.",
    parameters,
    examples: [
      {
        title: "The headings that changed last.",
        args: {
          sql: "SELECT id, content, hpath FROM blocks WHERE type = 'h' ORDER BY updated DESC LIMIT 10",
        },
      },
    ],
    errors: kernelErrors,
    effects: "read",
    permission: { executionPolicy: "ask-once" },
    declaredReturnType: { type: "{rows: object[], cut: boolean}" },
    formatForLLM: ({ rows, cut }: Rows) => {
      if (rows.length === 0) return "No rows.";
      const lines = rows.map((row) => JSON.stringify(row)).join("\n");
      return `${rows.length} rows${cut ? "; there may be more, which a LIMIT with an OFFSET returns" : ""}\n${lines}`;
    },
    execute: ({ sql }, context) =>
      returnKernelErrors(async (): Promise<Rows> => {
        const body = { stmt: sql, mode: "readonly" };
        const rows = (await ask(context)("/api/query/sql", body, rowsReply)) ?? [];
        return { rows, cut: !hasLimit(sql) && rows.length >= kernelLimit };
      }),
  });
}
