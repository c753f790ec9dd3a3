/** One mark of a chart: a bar, a point of a line, a slice or a dot. */
export interface ChartPoint {
  readonly x: string | number;
  /** Absent values leave a gap. */
  readonly y: number | null;
  /** The series, if the chart has several or names them. */
  readonly series?: string;
}

/** `time`: milliseconds since the epoch in `x`. `category`: texts, in the order of the points. */
export type XKind = "category" | "number" | "time";

/** A chart whose data was read and checked. */
export interface Chart {
  readonly kind: "bar" | "line" | "pie" | "scatter";
  readonly points: readonly ChartPoint[];
  readonly xKind: XKind;
  readonly title?: string;
  readonly xTitle?: string;
  readonly yTitle?: string;
  readonly width: number;
  readonly height: number;
  /** Bars are stacked instead of side by side; a line is a filled area; a pie has a hole. */
  readonly variant?: "stacked" | "area" | "donut";
  readonly isHorizontal?: boolean;
}

/** Returns the distinct names of a chart's series, in the order of its points. */
export function seriesOf({ points }: Pick<Chart, "points">): readonly string[] {
  return [...new Set(points.flatMap(({ series }) => (series === undefined ? [] : [series])))];
}

/** Returns the distinct values of the horizontal axis, in the order of the points. */
export function xValuesOf({ points }: Pick<Chart, "points">): readonly (string | number)[] {
  return [...new Set(points.map(({ x }) => x))];
}
