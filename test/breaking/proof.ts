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
  /** As it is called on the command line. */
  readonly name: string;
  /** The fault, in the words of the table. */
  readonly title: string;
  /** The test that shows it in a few rounds. */
  readonly test: string;
  readonly on: readonly CombinationName[];
  /** How often: by `npm run test:breaking`, and by `npm run test:long`. */
  readonly times: number;
  readonly quickly: number;
  /** On a store that can be full. */
  readonly needsDisk?: true;
  /** Whether something was broken at all: what is missing to say so. */
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
  /** Told of each time. */
  readonly progress: (done: number) => void;
}
