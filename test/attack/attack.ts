import type { Random } from "../breaking/random.ts";
import type { Victim } from "./victim.ts";

/** One way to attack a server. */
export interface Attack {
  readonly name: string;
  /**
   * Attacks until the time is over, at least once.
   *
   * @param given.isOver whether the time is over
   * @returns a sentence for each promise that was broken
   */
  run(given: AttackGiven): Promise<readonly string[]>;
}

export interface AttackGiven {
  readonly victim: Victim;
  readonly random: Random;
  readonly isOver: () => boolean;
}

/** Collects problems, each once; an attack that found many says the first ones. */
export class Problems {
  readonly #found = new Set<string>();

  add(problem: string): void {
    this.#found.add(problem);
  }

  get isFull(): boolean {
    return this.#found.size >= 10;
  }

  get list(): readonly string[] {
    return [...this.#found];
  }
}
