import type { Statement } from "../../sql/script.ts";
import { keyOf, kindOf, type RowChange, statementOf } from "./row-statements.ts";

/** Identifies a lane. Changes of one lane keep their order; different lanes change different rows. */
export type LaneKey = object;

interface Step {
  readonly kind: string | undefined;
  readonly takes: (change: RowChange) => boolean;
  readonly add: (change: RowChange) => void;
  readonly statement: () => Statement;
}

/**
 * The changes of one table, in as few statements as their order allows: a change goes into the first
 * one of its kind that comes after what its lane did before.
 */
export class TableSteps {
  readonly #steps: Step[] = [];
  /** The step of each lane's last change. */
  readonly #last = new Map<LaneKey, number>();
  /** Where lanes begin that did nothing yet. */
  #first = 0;

  get statements(): readonly Statement[] {
    return this.#steps.map((step) => step.statement());
  }

  /** @param lane none: it comes after all that was before, and before all that follows */
  add(change: RowChange, lane: LaneKey | undefined): void {
    if (lane === undefined) this.addBarrier();
    const kind = kindOf(change);
    const from = (lane && this.#last.get(lane)) ?? this.#first;
    let at = from;
    while (at < this.#steps.length && !isFor(this.#steps[at], kind, change)) at += 1;
    if (at === this.#steps.length) this.#steps.push(stepOf(kind));
    this.#steps[at]?.add(change);
    if (lane === undefined) this.#first = at;
    else this.#last.set(lane, at);
  }

  /** A statement of its own, after all that was before. */
  addStatement(statement: Statement): void {
    const never = () => false;
    this.#steps.push({ kind: undefined, takes: never, add: never, statement: () => statement });
    this.addBarrier();
  }

  /** Orders all later changes after those before. */
  addBarrier(): void {
    this.#last.clear();
    this.#first = Math.max(0, this.#steps.length - 1);
  }
}

function isFor(step: Step | undefined, kind: string, change: RowChange): boolean {
  return step?.kind === kind && step.takes(change);
}

/** No statement may change a row twice. Of new rows with one key the last counts. */
function stepOf(kind: string): Step {
  const changes = new Map<string | number, RowChange>();
  const place = (change: RowChange) => keyOf(change) ?? changes.size;
  return {
    kind,
    takes: (change) => change.type === "insert" || !changes.has(place(change)),
    add: (change) => void changes.set(place(change), change),
    statement: () => statementOf(kind, [...changes.values()]),
  };
}
