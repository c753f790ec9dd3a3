/** One number that a bench reports. */
export interface Figure {
  /** The measured work: `sequential round`. */
  readonly case: string;
  /** The measured library: `capstan`, or a peer's package name. */
  readonly subject: string;
  readonly unit: string;
  /** The minimum of the repetitions; the maximum if the unit is a rate. */
  readonly best: number;
  /** The median of the repetitions. */
  readonly median: number;
}

export type FigureLabel = Pick<Figure, "case" | "subject" | "unit">;

/** Returns the figure of repeated measurements. */
export function measuredFigure(label: FigureLabel, values: readonly number[]): Figure {
  return { ...label, best: best(values, label.unit), median: median(values) };
}

/** Returns the figure of a count, which is the same at each repetition. */
export function countedFigure(label: FigureLabel, value: number): Figure {
  return { ...label, best: value, median: value };
}

/** Returns one figure per label: the best of the turns' best values, and the median of their medians. */
export function mergeTurns(turns: readonly (readonly Figure[])[]): readonly Figure[] {
  const groups = Map.groupBy(turns.flat(), (figure) =>
    JSON.stringify([figure.case, figure.subject, figure.unit]),
  );
  return [...groups.values()].flatMap((figures) => {
    const [first] = figures;
    if (first === undefined) return [];
    return {
      ...first,
      best: best(
        figures.map((figure) => figure.best),
        first.unit,
      ),
      median: median(figures.map((figure) => figure.median)),
    };
  });
}

/** Returns the minimum, or the maximum if the unit is a rate, such as `runs/s`. */
export function best(values: readonly number[], unit: string): number {
  if (values.length === 0) throw new Error("Cannot take the best of no values.");
  return unit.endsWith("/s") ? Math.max(...values) : Math.min(...values);
}

/** Returns the middle value; for an even count, the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined)
    throw new Error("Cannot take the median of no values.");
  return (lower + upper) / 2;
}
