import type { RunView } from "@capstan/contract";

type Run = { readonly view: Pick<RunView, "id" | "previous"> };

/**
 * Returns the branch of a conversation that ends with the newest run after `chosen`, oldest run
 * first. A run whose previous run is missing begins a branch.
 *
 * @param runs all runs of the conversation, oldest first
 * @param chosen the id of a run of the branch; null for the branch of the newest run
 */
export function branchOf<Each extends Run>(runs: readonly Each[], chosen: string | null): Each[] {
  const byId = new Map(runs.map((run) => [run.view.id, run]));
  let leaf = (chosen === null ? undefined : byId.get(chosen)) ?? runs.at(-1);
  // The newest continuation of each run is the last one in the list.
  const newest = new Map(runs.map((run) => [run.view.previous, run]));
  for (let next = leaf; next !== undefined; next = newest.get(next.view.id)) leaf = next;
  const branch: Each[] = [];
  for (let run = leaf; run !== undefined && !branch.includes(run);) {
    branch.push(run);
    run = run.view.previous === null ? undefined : byId.get(run.view.previous);
  }
  return branch.toReversed();
}

/** Returns the runs that continue the same run as `run` does, including `run`, oldest first. */
export function versionsOf<Each extends Run>(runs: readonly Each[], run: Each): Each[] {
  const known = new Set(runs.map(({ view }) => view.id));
  const placeOf = ({ view }: Each) =>
    view.previous !== null && known.has(view.previous) ? view.previous : null;
  return runs.filter((other) => placeOf(other) === placeOf(run));
}
