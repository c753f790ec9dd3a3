import type { ChartPoint, XKind } from "./chart-data.ts";
import { ChartProblem } from "./chart-problem.ts";
import { checkColumn, readRows, type RowSource, type VariableReader } from "./read-rows.ts";
import { kindOf, readLabel, readNumber, readTime } from "./read-values.ts";

/** The data of a chart with labels on one axis: rows, or labels and series. */
export interface SeriesSource extends RowSource {
  readonly x?: string | undefined;
  readonly y?: string | readonly string[] | undefined;
  readonly labels?: readonly (string | number)[] | undefined;
  readonly series?:
    | readonly { readonly name: string; readonly values: readonly unknown[] }[]
    | undefined;
}

/** The points of a chart, and the kind of its horizontal axis. */
export interface SeriesData {
  readonly points: readonly ChartPoint[];
  readonly xKind: XKind;
  /** The titles of the axes, if the data has names for them. */
  readonly xTitle?: string;
  readonly yTitle?: string;
}

interface Column {
  readonly name?: string;
  readonly values: readonly unknown[];
}

/**
 * Returns the points of a chart.
 *
 * @param kind `category` if numbers and dates are treated as labels
 * @throws ChartProblem
 */
export async function readSeries(
  source: SeriesSource,
  { kind, maxPoints }: { readonly kind?: "category"; readonly maxPoints: number },
  context: VariableReader,
): Promise<SeriesData> {
  const { labels, columns, xTitle } = await readColumns(source, context);
  const count = labels.length * columns.length;
  if (count === 0) throw new ChartProblem("no_data", "There are no values to draw.");
  if (count > maxPoints)
    throw new ChartProblem(
      "too_many_points",
      `There are ${count} values; this chart shows at most ${maxPoints}. Group them first, for example with TableQuery.`,
    );
  const xKind = kind ?? kindOf(labels);
  const xs = labels.map((label) =>
    xKind === "number"
      ? (label as number)
      : xKind === "time"
        ? (readTime(label) ?? 0)
        : readLabel(label),
  );
  if (xKind === "category") checkUnique(xs);
  const isNamed = columns.length > 1 || source.series !== undefined;
  const points = columns.flatMap(({ name, values }, column) => {
    const label = readLabel(name ?? `Series ${column + 1}`);
    return xs.map((x, at) => ({
      x,
      y: readNumber(values[at], `Value ${at + 1} of "${label}" (at ${String(labels[at])})`),
      ...(isNamed && { series: label }),
    }));
  });
  if (points.every(({ y }) => y === null))
    throw new ChartProblem("no_data", "All values are empty.");
  const [only] = columns;
  return {
    points,
    xKind,
    ...(xTitle !== undefined && { xTitle }),
    ...(columns.length === 1 && only?.name !== undefined && { yTitle: only.name }),
  };
}

async function readColumns(
  source: SeriesSource,
  context: VariableReader,
): Promise<{
  readonly labels: readonly unknown[];
  readonly columns: readonly Column[];
  readonly xTitle?: string;
}> {
  const { series, labels = [], x, y, rows, variable } = source;
  const given = [rows, variable, series].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw new ChartProblem(
      "unclear_source",
      'Give exactly one of rows, variable, or series with labels, for example {"labels": ["May", "June"], "series": [{"name": "Sales", "values": [3, 5]}]}.',
    );
  if (series !== undefined) {
    for (const { name, values } of series)
      if (values.length !== labels.length)
        throw new ChartProblem(
          "unequal_lengths",
          `Series "${readLabel(name)}" has ${values.length} values, but there are ${labels.length} labels. Give one value for each label, and null for a missing one.`,
        );
    checkUnique(series.map(({ name }) => readLabel(name)));
    return { labels, columns: series };
  }
  if (x === undefined || y === undefined)
    throw new ChartProblem("unclear_source", "Name the columns of the rows in x and y.");
  const read = await readRows({ rows, variable }, context);
  if (read.length === 0) throw new ChartProblem("no_data", "There are no rows.");
  const names = typeof y === "string" ? [y] : [...new Set(y)];
  for (const name of [x, ...names]) checkColumn(read, name);
  return {
    labels: read.map((row) => row[x]),
    columns: names.map((name) => ({ name, values: read.map((row) => row[name]) })),
    xTitle: x,
  };
}

function checkUnique(labels: readonly (string | number)[]): void {
  const seen = new Set<string | number>();
  for (const label of labels) {
    if (seen.has(label))
      throw new ChartProblem(
        "duplicate_label",
        `"${label}" occurs more than once. Add up its values first, for example with SUM and GROUP BY in TableQuery.`,
      );
    seen.add(label);
  }
}
