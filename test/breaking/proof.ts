import type { Clients } from "./clients.ts";
import type { CombinationName } from "./stores/combination-name.ts";
import type { Evidence } from "./report/evidence.ts";
import type { Place } from "./place.ts";
import type { Random } from "./random.ts";

/** Something that is broken again and again while clients go on. Whatever it is, `audit` says what has to hold afterwards. */
export interface Proof {
  /** As it is called on the command line. */
  readonly name: string;
  /** What is done, as the table says it. */
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
   * Breaks it. Whatever it began has ended when this resolves, but for runs of which no client knows.
   *
   * @returns what there was no sign of, where only who breaks it sees that
   * @throws Error where a promise of this proof alone was not kept
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
