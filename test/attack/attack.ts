import { inspect, isDeepStrictEqual } from "node:util";
import type { CombinationName } from "../breaking/stores/combination-name.ts";
import type { Combination } from "../breaking/stores/combinations.ts";
import type { Random } from "../breaking/random.ts";

/** One way to attack Capstan. */
export interface Attack {
  /** The name on the command line. */
  readonly name: string;
  /** The target and the method of the attack. */
  readonly title: string;
  /** The databases on which the attack differs. */
  readonly on: readonly CombinationName[];
  /** How long it takes at full length; `once` if it ends by itself. */
  readonly minutes: number | "once";
  /** A description of its full length if it ends by itself. @default once */
  readonly length?: string;
  /** Why it cannot run on this machine. @default it can */
  readonly skip?: () => string | undefined;
  /** Attacks at least once, and repeats while `goesOn` returns true. */
  run(given: AttackGiven): Promise<void>;
}

export interface AttackGiven {
  readonly combination: Combination;
  readonly random: Random;
  readonly report: Report;
  /** Whether time remains and fewer problems were found than the report shows. */
  readonly goesOn: () => boolean;
  /** Whether an attack that ends by itself runs at full length, because no time was given. */
  readonly isAtFullLength: boolean;
}

export const bothDatabases: readonly CombinationName[] = ["SQLite", "PostgreSQL"];

/** The report of an attack: its actions and the broken promises. */
export class Report {
  readonly #problems: string[] = [];
  readonly #counts = new Map<string, number>();

  /** Adds a sentence that says which promise was broken, and how. */
  problem(text: string): void {
    if (!this.#problems.includes(text)) this.#problems.push(text);
  }

  /** Compares a value with the expected one. */
  expect(what: string, is: unknown, mustBe: unknown): void {
    if (!isDeepStrictEqual(is, mustBe))
      this.problem(`${what}: ${JSON.stringify(is)}, must be ${JSON.stringify(mustBe)}`);
  }

  /** @param what in the plural: `requests` */
  count(what: string, more = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + more);
  }

  /** A report lists only the first problems. */
  get isFull(): boolean {
    return this.#problems.length >= 10;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  get counts(): string {
    return [...this.#counts].map(([what, count]) => `${count} ${what}`).join(", ");
  }
}

/** Runs an attack until its time is over. */
export async function runAttack(
  attack: Attack,
  given: {
    readonly combination: Combination;
    readonly random: Random;
    readonly report: Report;
    /** The duration; 0 for one round. @default the attack's full length */
    readonly minutes?: number;
  },
): Promise<void> {
  const { report } = given;
  const isAtFullLength = given.minutes === undefined;
  const minutes = given.minutes ?? (attack.minutes === "once" ? 0 : attack.minutes);
  const started = performance.now();
  const goesOn = () => !report.isFull && performance.now() - started < minutes * 60_000;
  try {
    await attack.run({ ...given, goesOn, isAtFullLength });
  } catch (thrown) {
    // Shows the causes of an error, too.
    report.problem(inspect(thrown));
  }
}
