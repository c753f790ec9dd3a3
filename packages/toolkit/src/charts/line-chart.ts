import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { chartTexts, compressChart, namedVariable, seriesArguments } from "./chart-arguments.ts";
import { chartErrors, returnChartProblems } from "./chart-problem.ts";
import { drawChart } from "./draw-chart.ts";
import { readSeries } from "./read-series.ts";

const maxPoints = 10_000;

const parameters = z.object({
  ...seriesArguments,
  area: z.boolean().default(false).describe("Fill the area below the line."),
});

/** `LineChart`: draws values as lines over numbers, dates or labels. */
export function lineChart(): Tool {
  return defineTool({
    name: "LineChart",
    description:
      "Draws lines, as PNG and SVG. Labels that are all numbers or ISO dates are a scale; others keep their order.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Show a development over time.",
        args: {
          title: "Visitors",
          labels: ["2026-01", "2026-02", "2026-03"],
          series: [{ name: "Visitors", values: [120, 180, 150] }],
        },
      },
    ],
    errors: chartErrors,
    permission: { executionPolicy: "auto", readsVariables: namedVariable },
    compressArgs: compressChart,
    execute: (args, context) =>
      returnChartProblems(async () => {
        const data = await readSeries(args, { maxPoints }, context);
        const { title, xTitle = data.xTitle, yTitle = data.yTitle, width, height } = args;
        return drawChart(
          {
            kind: "line",
            points: data.points,
            xKind: data.xKind,
            ...chartTexts({ title, xTitle, yTitle }),
            width,
            height,
            ...(args.area && { variant: "area" as const }),
          },
          context,
        );
      }),
  });
}
