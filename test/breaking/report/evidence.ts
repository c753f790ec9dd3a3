import type { EndState } from "../end-state.ts";

/** The end state of a proof, with the output of the nodes. */
export interface Evidence extends EndState {
  readonly output: string;
}

/** Checks that some run was claimed by another process: without it the proof shows nothing. */
export function wereTakenUp({ runs }: Evidence): readonly string[] {
  const some = runs.some(({ events }) => events.some(({ type }) => type === "chain.resumed"));
  return some ? [] : ["no run was claimed again: nothing was interrupted"];
}

/** Checks that a process tried to write to a run that another one had claimed. */
export function wereRefused({ output }: Evidence): readonly string[] {
  return /rejected a late write .* was claimed again/.test(output)
    ? []
    : ["no process tried to write to a run of another owner"];
}
