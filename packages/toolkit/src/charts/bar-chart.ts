import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { chartTexts, compressChart, namedVariable, seriesArguments } from "./chart-arguments.ts";
import { xValuesOf } from "./chart-data.ts";
import { chartErrors, returnChartProblems } from "./chart-problem.ts";
import { drawChart } from "./draw-chart.ts";
import { readSeries } from "./read-series.ts";

const maxPoints = 1_000;
/** Longer labels are legible only next to horizontal bars. */
const longLabel = 14;

const parameters = z.object({
  ...seriesArguments,
  stacked: z.boolean().default(false).describe("Stack the series."),
  horizontal: z.boolean().optional().describe("Default: true if the labels are long."),
});

/** `BarChart`: draws values as bars. */
export function barChart(): Tool {
  return defineTool({
    name: "BarChart",
    description: "Draws bars for labels, as PNG and SVG.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Compare two years.",
        args: {
          title: "Sales by region",
          labels: ["North", "South"],
          series: [
            { name: "2025", values: [12, 7] },
            { name: "2026", values: [14, 9] },
          ],
        },
      },
    ],
    errors: chartErrors,
    permission: { executionPolicy: "auto", readsVariables: namedVariable },
    compressArgs: compressChart,
    execute: (args, context) =>
      returnChartProblems(async () => {
        const data = await readSeries(args, { kind: "category", maxPoints }, context);
        const labels = xValuesOf(data);
        const isLong = labels.some((label) => String(label).length > longLabel);
        const { title, xTitle = data.xTitle, yTitle = data.yTitle, width, height } = args;
        const isHorizontal = args.horizontal ?? (isLong && labels.length > 3);
        return drawChart(
          {
            kind: "bar",
            points: data.points,
            xKind: data.xKind,
            ...chartTexts({ title, xTitle, yTitle }),
            width,
            // Each horizontal bar needs the height of its label.
            height: isHorizontal ? Math.max(height, Math.min(labels.length * 18, 4_000)) : height,
            isHorizontal,
            ...(args.stacked && { variant: "stacked" as const }),
          },
          context,
        );
      }),
  });
}
