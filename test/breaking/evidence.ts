import type { EndState } from "./end-state.ts";

/** What a proof leaves: also what the nodes said. */
export interface Evidence extends EndState {
  readonly output: string;
}

/** Where nothing was broken nothing is proved: some run has to have been taken up. */
export function wereTakenUp({ runs }: Evidence): readonly string[] {
  const some = runs.some(({ events }) => events.some(({ type }) => type === "chain.resumed"));
  return some ? [] : ["no run was taken up: nothing was cut off"];
}
