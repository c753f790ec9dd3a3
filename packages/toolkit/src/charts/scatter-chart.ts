import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import {
  type ChartContext,
  chartTexts,
  commonArguments,
  compressChart,
  namedVariable,
  rowArguments,
} from "./chart-arguments.ts";
import type { ChartPoint, XKind } from "./chart-data.ts";
import { ChartProblem, chartErrors, returnChartProblems } from "./chart-problem.ts";
import { drawChart } from "./draw-chart.ts";
import { checkColumn, readRows } from "./read-rows.ts";
import { kindOf, readLabel, readNumber, readTime } from "./read-values.ts";

const maxPoints = 10_000;

const parameters = z.object({
  ...rowArguments,
  x: z.string().optional().describe("The column of the horizontal axis: numbers or ISO dates."),
  y: z.string().optional().describe("The column of the vertical axis: numbers."),
  group: z.string().optional().describe("The column whose values are colours; at most 20."),
  points: z
    .array(z.array(z.unknown()).length(2))
    .optional()
    .describe("Instead of rows: pairs of x and y."),
  xTitle: z.string().optional(),
  yTitle: z.string().optional(),
  ...commonArguments,
});

type Args = z.infer<typeof parameters>;

/** `ScatterChart`: draws pairs of numbers as dots. */
export function scatterChart(): Tool {
  return defineTool({
    name: "ScatterChart",
    description: "Draws a dot for each pair of numbers, as PNG and SVG.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Compare two measurements.",
        args: {
          title: "Height and weight",
          rows: [
            { height: 170, weight: 65 },
            { height: 182, weight: 80 },
          ],
          x: "height",
          y: "weight",
        },
      },
    ],
    errors: chartErrors,
    permission: { executionPolicy: "auto", readsVariables: namedVariable },
    compressArgs: compressChart,
    execute: (args, context) =>
      returnChartProblems(async () => {
        const pairs = await readPairs(args, context);
        const { title, xTitle = args.x, yTitle = args.y, width, height } = args;
        return drawChart(
          {
            kind: "scatter",
            ...dots(pairs),
            ...chartTexts({ title, xTitle, yTitle }),
            width,
            height,
          },
          context,
        );
      }),
  });
}

interface Pair {
  readonly x: unknown;
  readonly y: unknown;
  readonly group?: unknown;
}

async function readPairs(args: Args, context: ChartContext): Promise<readonly Pair[]> {
  const { rows, variable, points, x, y, group } = args;
  if ([rows, variable, points].filter((one) => one !== undefined).length !== 1)
    throw new ChartProblem("unclear_source", "Give exactly one of rows, variable or points.");
  if (points !== undefined) return points.map(([x, y]) => ({ x, y }));
  if (x === undefined || y === undefined)
    throw new ChartProblem("unclear_source", "Name the columns of the rows in x and y.");
  const read = await readRows({ rows, variable }, context);
  if (read.length === 0) throw new ChartProblem("no_data", "There are no rows.");
  for (const name of [x, y, ...(group === undefined ? [] : [group])]) checkColumn(read, name);
  return read.map((row) => ({
    x: row[x],
    y: row[y],
    ...(group !== undefined && { group: row[group] }),
  }));
}

/** Skip pairs with an empty value. */
function dots(pairs: readonly Pair[]): {
  readonly points: readonly ChartPoint[];
  readonly xKind: XKind;
} {
  if (pairs.length > maxPoints)
    throw new ChartProblem(
      "too_many_points",
      `There are ${pairs.length} points; at most ${maxPoints} are drawn. Take a sample, for example with TableQuery.`,
    );
  const isTime = kindOf(pairs.map(({ x }) => x)) === "time" && pairs.length > 0;
  const points = pairs.flatMap(({ x: left, y: up, group }, at) => {
    const x = isTime ? readTime(left) : readNumber(left, `x of point ${at + 1}`);
    const y = readNumber(up, `y of point ${at + 1}`);
    if (x === null || x === undefined || y === null) return [];
    return [{ x, y, ...(group !== undefined && { series: readLabel(group) }) }];
  });
  if (points.length === 0) throw new ChartProblem("no_data", "There are no points to draw.");
  const groups = new Set(points.map(({ series }) => series)).size;
  if (groups > 20)
    throw new ChartProblem(
      "too_many_points",
      `The group has ${groups} values; at most 20 colours can be told apart.`,
    );
  return { points, xKind: isTime ? "time" : "number" };
}
