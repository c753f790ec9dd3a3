import type { LoggedCall } from "./logged-call.ts";

/** From so many like calls in a row on, one entry tells of them all. */
const group = 4;

/** Calls in their order, those that are alike and stand together as one group. */
export function groupCalls(calls: readonly LoggedCall[]): readonly (readonly LoggedCall[])[] {
  const runs: LoggedCall[][] = [];
  for (const call of calls) {
    const run = runs.at(-1);
    if (run?.[0] !== undefined && isLike(run[0], call)) run.push(call);
    else runs.push([call]);
  }
  return runs.flatMap((run) => (run.length < group ? run.map((call) => [call]) : [run]));
}

/** Where each has files of its own to name, each is told of by itself. */
function isLike(a: LoggedCall, b: LoggedCall): boolean {
  return (
    a.name === b.name &&
    a.outcome.words === b.outcome.words &&
    a.files.length + b.files.length === 0 &&
    (a.value === undefined) === (b.value === undefined)
  );
}

/** `["Search_1", "Search_30"]` where the values are numbered one after the other. */
export function numberedValues(
  calls: readonly LoggedCall[],
): readonly [first: string, last: string] | undefined {
  const [first, last] = [calls[0]?.value, calls.at(-1)?.value];
  const numbered = /^(.+_)(\d+)$/.exec(first ?? "");
  if (first === undefined || last === undefined || numbered === null) return undefined;
  const [, stem, start] = numbered;
  const inOrder = calls.every(({ value }, n) => value === `${stem}${Number(start) + n}`);
  return inOrder ? [first, last] : undefined;
}
