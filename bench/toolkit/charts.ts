import { chartTools } from "@capstan/toolkit";
import { type Figure, measuredFigure } from "../figure.ts";
import { callerOf, timesOf } from "./call.ts";

/** Measures charts of a small table and of 1,000 points, as PNG and SVG. */
export async function figures(repetitions: number): Promise<readonly Figure[]> {
  const call = callerOf(chartTools());
  const labels = Array.from({ length: 12 }, (_, month) => `Month ${month + 1}`);
  const series = ["2025", "2026"].map((name, year) => ({
    name,
    values: labels.map((_, month) => 10 + year + month),
  }));
  const points = Array.from({ length: 1_000 }, (_, n) => n);
  const line = {
    title: "Waves",
    labels: points,
    series: [{ name: "wave", values: points.map((n) => Math.sin(n / 50)) }],
  };
  const bars = { title: "Sales", labels, series };
  const ofTool = (work: string) => ({ case: work, subject: "capstan", unit: "ms" });
  return [
    measuredFigure(
      ofTool("bar chart of 24 values"),
      await timesOf(repetitions, () => call("BarChart", bars)),
    ),
    measuredFigure(
      ofTool("line chart of 1,000 points"),
      await timesOf(repetitions, () => call("LineChart", line)),
    ),
  ];
}
