import type { Clients } from "./clients.ts";
import type { CombinationName } from "./stores/combination-name.ts";
import type { Evidence } from "./report/evidence.ts";
import type { Place } from "./place.ts";
import type { Random } from "./random.ts";

/**
 * A fault that is injected repeatedly while clients continue. `audit` checks the promises
 * afterwards.
 */
export interface Proof {
  /** The name on the command line. */
  readonly name: string;
  /** The fault, as the table describes it. */
  readonly title: string;
  /** The name of the test that injects the fault in a few rounds. */
  readonly test: string;
  readonly on: readonly CombinationName[];
  /** How often: by `npm run test:breaking`, and by `npm run test:long`. */
  readonly times: number;
  readonly quickly: number;
  /** On a store that can be full. */
  readonly needsDisk?: true;
  /** The effects that did not occur, although the fault should cause them. */
  readonly evidence?: (left: Evidence) => readonly string[];
  /**
   * Injects the fault. All runs that it started have ended when this resolves, except runs of which
   * no client knows.
   *
   * @returns effects that did not occur, if only the proof can see them @throws Error if a promise
   * of this proof alone was broken
   */
  run(round: Round): Promise<readonly string[] | void>;
}

export interface Round {
  readonly place: Place;
  readonly clients: Clients;
  readonly random: Random;
  readonly times: number;
  /** Called after each injected fault. */
  readonly progress: (done: number) => void;
}
