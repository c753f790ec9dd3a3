/** A line of two versions beside each other; numbers count from 1. */
export type DiffLine =
  | {
      readonly type: "same";
      readonly text: string;
      readonly before: number;
      readonly after: number;
    }
  | { readonly type: "removed"; readonly text: string; readonly before: number }
  | { readonly type: "added"; readonly text: string; readonly after: number }
  /** Lines that are the same and are not shown. */
  | { readonly type: "skipped"; readonly count: number };

/** Cells of the comparison's table: beyond it all lines between are shown as other ones. */
const mostCells = 2_000_000;
/** Lines around a change that are shown. */
const around = 3;

/** What changed from one text to another, line by line, with some lines around each change. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  if (before === after) return [];
  const a = before.split(/\r?\n/);
  const b = after.split(/\r?\n/);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail++;
  const same = (at: number, to: number): DiffLine => ({
    type: "same",
    text: a[at] ?? "",
    before: at + 1,
    after: to + 1,
  });
  const lines = [
    ...a.slice(0, head).map((_, at) => same(at, at)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail), head),
    ...a.slice(a.length - tail).map((_, n) => same(a.length - tail + n, b.length - tail + n)),
  ];
  return withoutLongSame(lines);
}

/** By the longest common lines of both. */
function middle(a: readonly string[], b: readonly string[], head: number): readonly DiffLine[] {
  const removed = (i: number): DiffLine => ({
    type: "removed",
    text: a[i] ?? "",
    before: head + i + 1,
  });
  const added = (j: number): DiffLine => ({ type: "added", text: b[j] ?? "", after: head + j + 1 });
  if (a.length * b.length > mostCells)
    return [...a.map((_, i) => removed(i)), ...b.map((_, j) => added(j))];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ type: "same", text: a[i] ?? "", before: head + ++i, after: head + ++j });
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(i++));
    } else lines.push(added(j++));
  }
  return lines;
}

function withoutLongSame(lines: readonly DiffLine[]): readonly DiffLine[] {
  const shown = new Uint8Array(lines.length);
  for (const [index, { type }] of lines.entries())
    if (type !== "same") shown.fill(1, Math.max(0, index - around), index + around + 1);
  const result: DiffLine[] = [];
  let skipped = 0;
  const endSkip = () => {
    if (skipped > 0) result.push({ type: "skipped", count: skipped });
    skipped = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (shown[index] === 1) {
      endSkip();
      result.push(line);
    } else skipped++;
  }
  endSkip();
  return result;
}
