import { diffArrays } from "diff";

/** A line of a side-by-side comparison; numbers count from 1. */
export type DiffLine =
  | {
      readonly type: "same";
      readonly text: string;
      readonly before: number;
      readonly after: number;
    }
  | { readonly type: "removed"; readonly text: string; readonly before: number }
  | { readonly type: "added"; readonly text: string; readonly after: number }
  /** A run of unchanged lines that are not shown. */
  | { readonly type: "skipped"; readonly count: number };

/**
 * The maximum number of changed lines. If two versions differ in more, all lines are shown as
 * changed.
 */
const maxEditLength = 1_000;
/** The number of lines shown around a change. */
const around = 3;

/** Compares two texts by line, and returns the changes with some lines around each. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  if (before === after) return [];
  const [a, b] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const changes = diffArrays(a, b, { maxEditLength }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ];
  let [old, fresh] = [0, 0];
  return changes.flatMap(({ value, removed, added }, index): readonly DiffLine[] => {
    if (removed) return value.map((text) => ({ type: "removed", text, before: ++old }));
    if (added) return value.map((text) => ({ type: "added", text, after: ++fresh }));
    const same = value.map((text): DiffLine => ({
      type: "same",
      text,
      before: ++old,
      after: ++fresh,
    }));
    const head = index === 0 ? 0 : around;
    const tail = index === changes.length - 1 ? 0 : around;
    const count = same.length - head - tail;
    if (count <= 0) return same;
    return [...same.slice(0, head), { type: "skipped", count }, ...same.slice(head + count)];
  });
}
