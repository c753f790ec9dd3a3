import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import {
  chartTexts,
  commonArguments,
  compressChart,
  namedVariable,
  rowArguments,
} from "./chart-arguments.ts";
import { ChartProblem, chartErrors, returnChartProblems } from "./chart-problem.ts";
import { drawChart } from "./draw-chart.ts";
import { readSeries, type SeriesData } from "./read-series.ts";

const maxPoints = 30;

const parameters = z.object({
  ...rowArguments,
  label: z.string().optional().describe("The column of the labels."),
  value: z.string().optional().describe("The column of the values."),
  labels: z
    .array(z.union([z.string(), z.number()]))
    .optional()
    .describe("Instead of rows."),
  values: z.array(z.unknown()).optional().describe("With labels: numbers from 0."),
  donut: z.boolean().default(false),
  ...commonArguments,
});

/** `PieChart`: draws parts of a whole. */
export function pieChart(): Tool {
  return defineTool({
    name: "PieChart",
    description: "Draws parts of a whole as slices, as PNG and SVG.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Show shares.",
        args: { title: "Languages", labels: ["TypeScript", "Python"], values: [70, 30] },
      },
    ],
    errors: chartErrors,
    permission: { executionPolicy: "auto", readsVariables: namedVariable },
    compressArgs: compressChart,
    execute: (args, context) =>
      returnChartProblems(async () => {
        const { rows, variable, label: x, value: y, labels, values, title, width, height } = args;
        const series = values === undefined ? undefined : [{ name: "values", values }];
        const source = { rows, variable, x, y, labels, series };
        const data = await readSeries(source, { kind: "category", maxPoints }, context);
        return drawChart(
          {
            kind: "pie",
            points: slices(data),
            xKind: "category",
            ...chartTexts({ title, xTitle: undefined, yTitle: undefined }),
            width,
            height,
            ...(args.donut && { variant: "donut" as const }),
          },
          context,
        );
      }),
  });
}

function slices({ points }: SeriesData): SeriesData["points"] {
  const negative = points.find(({ y }) => y !== null && y < 0);
  if (negative !== undefined)
    throw new ChartProblem(
      "invalid_value",
      `"${negative.x}" is ${negative.y}: a slice cannot be negative. Use BarChart.`,
    );
  const drawn = points.flatMap(({ x, y }) => (y === null ? [] : [{ x, y }]));
  const total = drawn.reduce((sum, { y }) => sum + y, 0);
  if (total === 0) throw new ChartProblem("no_data", "All values are 0, so there are no slices.");
  return drawn;
}
