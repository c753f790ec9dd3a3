import type { TopLevelSpec } from "../libraries/vega.ts";
import { type Chart, seriesOf, xValuesOf } from "./chart-data.ts";

/** Colours that people with colour blindness can tell apart on white (Okabe and Ito, 2008). */
const colours = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#e69f00",
  "#56b4e9",
  "#6b5b95",
  "#8c564b",
  "#5a5a5a",
  "#a3a500",
];
const ink = "#1f2328";
const fonts = "Liberation Sans, Arial, Helvetica, sans-serif";

type Encoding = Record<string, unknown>;

/**
 * Returns the specification of a chart. It has an opaque, light background, so that it is legible
 * on pages of either colour scheme. Fields have fixed names, so that no text of the data is read as
 * a path or an expression.
 */
export function chartSpec(chart: Chart): TopLevelSpec {
  const { kind, points, title, width, height } = chart;
  const spec = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "#ffffff",
    padding: 16,
    width: kind === "pie" ? Math.min(width, height) : width,
    height,
    ...(title !== undefined && { title: { text: title, anchor: "start", limit: width } }),
    data: { values: points.map(({ x, y, series }, n) => ({ x, y, series, n })) },
    ...(kind === "pie" ? pie(chart) : onAxes(chart)),
    config: {
      font: fonts,
      view: { stroke: null },
      mark: { color: colours[0] },
      axis: {
        labelColor: ink,
        titleColor: ink,
        gridColor: "#d9dce0",
        domainColor: "#8a9099",
        tickColor: "#8a9099",
        labelFontSize: 12,
        titleFontSize: 12,
        labelLimit: 320,
        titleLimit: 400,
      },
      legend: { labelColor: ink, titleColor: ink, labelFontSize: 12, labelLimit: 240 },
      title: { color: ink, fontSize: 16, offset: 12 },
      range: { category: colours },
    },
  };
  // The library's types do not accept a specification that is built from parts.
  return spec as unknown as TopLevelSpec;
}

function pie(chart: Chart): object {
  const { width, height, variant } = chart;
  const radius = Math.min(width, height) / 2;
  return {
    mark: {
      type: "arc",
      stroke: "#ffffff",
      strokeWidth: 1,
      outerRadius: radius,
      ...(variant === "donut" && { innerRadius: radius * 0.55 }),
    },
    encoding: {
      theta: { field: "y", type: "quantitative", stack: true },
      order: { field: "n", type: "quantitative" },
      color: {
        field: "x",
        type: "nominal",
        sort: null,
        title: null,
        scale: { domain: xValuesOf(chart) },
        legend: { symbolLimit: 60 },
      },
    },
  };
}

function onAxes(chart: Chart): object {
  const { kind, variant, isHorizontal = false } = chart;
  const series = seriesOf(chart);
  const along = isHorizontal ? "y" : "x";
  const across = isHorizontal ? "x" : "y";
  const encoding: Encoding = {
    [along]: positions(chart),
    [across]: {
      field: "y",
      type: "quantitative",
      title: chart.yTitle ?? null,
      ...(kind === "bar" && { stack: variant === "stacked" ? "zero" : null }),
      ...(kind === "scatter" && { scale: { zero: false } }),
    },
    ...(series.length > 0 && {
      color: {
        field: "series",
        type: "nominal",
        sort: null,
        title: null,
        scale: { domain: series },
        legend: { orient: "bottom", columns: 4, symbolLimit: 60 },
      },
    }),
    ...(kind === "bar" &&
      variant !== "stacked" &&
      series.length > 1 && {
        [`${along}Offset`]: { field: "series", type: "nominal", sort: null },
      }),
  };
  return { mark: markOf(chart), encoding };
}

function markOf({ kind, variant, points }: Chart): object {
  const isSparse = points.length <= 60;
  if (kind === "bar") return { type: "bar", aria: isSparse };
  if (kind === "scatter")
    return { type: "point", filled: true, aria: isSparse, size: isSparse ? 50 : 20, opacity: 0.75 };
  return {
    type: variant === "area" ? "area" : "line",
    ...(variant === "area" ? { opacity: 0.6, line: true } : { strokeWidth: 2, point: isSparse }),
  };
}

function positions(chart: Chart): Encoding {
  const { xKind, kind, isHorizontal = false, xTitle } = chart;
  const base = { field: "x", title: xTitle ?? null };
  if (xKind === "number" && kind !== "bar")
    return { ...base, type: "quantitative", scale: { zero: false } };
  if (xKind === "time") return { ...base, type: "temporal", scale: { type: "utc" } };
  const values = xValuesOf(chart);
  const longest = Math.max(...values.map((value) => String(value).length));
  const isCrowded = longest * values.length * 7 > chart.width;
  return {
    ...base,
    type: "ordinal",
    sort: null,
    scale: { domain: values, ...(kind === "bar" && { paddingInner: 0.2 }) },
    axis: {
      labelAngle: isHorizontal || !isCrowded ? 0 : -40,
      labelOverlap: values.length > 40,
      grid: false,
    },
  };
}
