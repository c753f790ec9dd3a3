import { countOf } from "../text/format-bytes.ts";
import { type Chart, type ChartPoint, seriesOf, xValuesOf } from "./chart-data.ts";

/** Charts with more values are described by their range. */
const mostListed = 12;
const nouns = { bar: "Bar chart", line: "Line chart", pie: "Pie chart", scatter: "Scatter chart" };

/** Returns the alternative text of a chart, for users who cannot see it. */
export function describeChart(chart: Chart): string {
  const { kind, title, points } = chart;
  const drawn = points.filter(({ y }) => y !== null);
  const series = seriesOf(chart);
  const head = title === undefined ? `${nouns[kind]}.` : `${nouns[kind]}: ${title}.`;
  const of = series.length === 0 ? "" : ` Series: ${series.slice(0, 20).join(", ")}.`;
  if (drawn.length <= mostListed) return `${head}${of} ${drawn.map(shownPoint(chart)).join("; ")}.`;
  const sorted = drawn.toSorted((a, b) => (a.y ?? 0) - (b.y ?? 0));
  const [least, most] = [sorted[0], sorted.at(-1)];
  const range =
    least === undefined || most === undefined
      ? ""
      : ` Lowest: ${shownPoint(chart)(least)}. Highest: ${shownPoint(chart)(most)}.`;
  const places = kind === "scatter" ? "" : ` at ${countOf(xValuesOf(chart).length, "position")}`;
  return `${head}${of} ${countOf(drawn.length, "value")}${places}.${range}`;
}

function shownPoint({ xKind, kind, points }: Chart): (point: ChartPoint) => string {
  const total = points.reduce((sum, { y }) => sum + (y ?? 0), 0);
  return ({ x, y, series }) => {
    const at = xKind === "time" ? shownTime(Number(x)) : String(x);
    const share = kind === "pie" ? ` (${(((y ?? 0) / total) * 100).toFixed(1)}%)` : "";
    return `${series === undefined ? "" : `${series}, `}${at}: ${y}${share}`;
  };
}

function shownTime(time: number): string {
  return new Date(time)
    .toISOString()
    .replace(/T00:00:00\.000Z$/, "")
    .replace(".000Z", "Z");
}
