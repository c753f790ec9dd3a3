import type { EndState } from "../end-state.ts";

/** What a proof leaves: also what the nodes said. */
export interface Evidence extends EndState {
  readonly output: string;
}

/** Where nothing was broken nothing is proved: some run has to have been taken up. */
export function wereTakenUp({ runs }: Evidence): readonly string[] {
  const some = runs.some(({ events }) => events.some(({ type }) => type === "chain.resumed"));
  return some ? [] : ["no run was taken up: nothing was cut off"];
}

/** That somebody tried to write into a run which another has by now. */
export function wereRefused({ output }: Evidence): readonly string[] {
  return /was not taken\. .* was claimed again/.test(output)
    ? []
    : ["nobody tried to write what is another's by now"];
}
