import type { UsageView } from "@capstan/contract";

/** The sum of several usage records. */
export interface UsageSum {
  readonly runs: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** The cost of the models with prices; null if none has any. */
  readonly cost: number | null;
  /** Whether `cost` excludes models without prices. */
  readonly isPartial: boolean;
}

/** Returns the sum of usage of any days and models. */
export function sumOf(usage: readonly UsageView[]): UsageSum {
  const add = (number: (view: UsageView) => number) =>
    usage.reduce((sum, view) => sum + number(view), 0);
  const priced = usage.filter(({ cost }) => cost !== null);
  return {
    runs: add(({ runs }) => runs),
    input: add((view) => view.input_tokens),
    cached: add((view) => view.cached_input_tokens),
    output: add((view) => view.output_tokens),
    cost: priced.length === 0 ? null : add(({ cost }) => cost ?? 0),
    isPartial: priced.length > 0 && priced.length < usage.length,
  };
}

/** Returns the sum of each model; the one with the most tokens first. */
export function sumByModel(
  usage: readonly UsageView[],
): readonly (UsageSum & { readonly model: string })[] {
  return [...Map.groupBy(usage, ({ model }) => model)]
    .map(([model, views]) => ({ model, ...sumOf(views) }))
    .toSorted((a, b) => b.input + b.output - a.input - a.output);
}

/**
 * Returns the sum of each of the last days, oldest first, with days without usage.
 *
 * @param now in ms since the epoch
 */
export function sumByDay(
  usage: readonly UsageView[],
  days: number,
  now: number,
): readonly (UsageSum & { readonly day: string })[] {
  const byDay = Map.groupBy(usage, ({ day }) => day);
  const local = new Date(now);
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(
      Date.UTC(local.getFullYear(), local.getMonth(), local.getDate() - (days - 1 - index)),
    );
    const day = date.toISOString().slice(0, 10);
    return { day, ...sumOf(byDay.get(day) ?? []) };
  });
}
