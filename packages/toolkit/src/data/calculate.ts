import { defineTool, type Tool } from "@capstan/core";
import { workerModule } from "@capstan/sandbox";
import { z } from "zod";
import { dataErrors } from "./data-problem.ts";
import type { MathJob, MathResult } from "./math-worker.ts";
import { returnProblems, valueOf } from "./return-problems.ts";
import { runInLimits } from "./run-in-limits.ts";

const names = z.string().regex(/^[A-Za-z_]\w{0,62}$/);

const parameters = z.object({
  expression: z
    .string()
    .min(1)
    .max(20_000)
    .describe(
      "e.g. 0.1 + 0.2; 5 inch to cm; sqrt(2)^2; det([1, 2; 3, 4]). Lines can assign: a = 3",
    ),
  variables: z
    .record(names, z.union([z.number(), z.string()]))
    .optional()
    .describe("Values by name; texts are expressions, for example exact decimals."),
  units: z
    .record(names, z.string())
    .optional()
    .describe('New units, e.g. {"EUR": "", "USD": "0.9 EUR"}: an exchange rate must be given.'),
});

/** `Calculate`: computes an expression exactly. */
export function calculate(): Tool {
  return defineTool({
    name: "Calculate",
    description:
      "Computes expressions with 64 digits: decimals, units, percentages, statistics, matrices, complex numbers. Use DateTime for dates.",
    parameters,
    effects: "read",
    examples: [
      { title: "Add decimals exactly.", args: { expression: "0.1 + 0.2" } },
      { title: "Convert a unit.", args: { expression: "5 inch to cm" } },
      {
        title: "Convert money by a given rate.",
        args: { expression: "10 USD to EUR", units: { EUR: "", USD: "0.9 EUR" } },
      },
    ],
    errors: {
      invalid_expression: dataErrors.invalid_expression,
      too_busy: dataErrors.too_busy,
      too_slow: dataErrors.too_slow,
    },
    permission: { executionPolicy: "auto" },
    compressArgs: ({ expression }) => expression.slice(0, 200),
    formatForLLM: ({ results }: MathResult) =>
      results.length === 0 ? "The expression has no result." : results.join("\n"),
    execute: ({ expression, variables = {}, units = {} }, { signal, principal }) =>
      returnProblems(async () => {
        const input: MathJob = { expression, variables, units };
        const module = workerModule("math-worker", import.meta.url);
        return valueOf(
          await runInLimits<MathResult>({
            module,
            input,
            user: principal.id,
            signal,
            what: "The expression",
          }),
        );
      }),
  });
}
