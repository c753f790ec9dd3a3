import { defineToolGroup, type ToolGroup } from "@capstan/core";
import { barChart } from "./bar-chart.ts";
import { lineChart } from "./line-chart.ts";
import { pieChart } from "./pie-chart.ts";
import { scatterChart } from "./scatter-chart.ts";

/**
 * Tools that draw charts as PNG and SVG: `BarChart`, `LineChart`, `PieChart` and `ScatterChart`.
 *
 * @example chartTools()
 */
export function chartTools(): ToolGroup {
  return defineToolGroup({
    name: "charts",
    title: "Charts",
    description: "Draws bar, line, pie and scatter charts from rows, variables or series.",
    tools: [barChart(), lineChart(), pieChart(), scatterChart()],
    rulePrompt:
      "Pass stored rows by the name of their variable, for example a result of TableQuery. The user sees the chart: state what it shows, not its numbers.",
  });
}
