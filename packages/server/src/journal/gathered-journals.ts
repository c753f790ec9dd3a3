import type { RunEvent } from "../contract/run.ts";
import type { RunJournalWrite, StoreWrite, WriteOutcome } from "./store-write.ts";
import type { Journal } from "./writing/write-journal.ts";

/** Journals of one run that are written as one. */
interface Gathered<Result> {
  readonly epoch: number;
  readonly writes: RunJournalWrite[];
  events: number;
  /** Where calls stand that are allowed, and may start in the same commit. */
  readonly allowed: Map<string, number>;
  readonly done: Promise<Result>;
}

/** What was given, and which of its commit's events are its own. */
export interface Given<Result> {
  readonly done: Promise<Result>;
  readonly from: number;
  readonly to: number;
}

/**
 * Puts a run's journals that wait for the same commit together, as a chain makes many small ones.
 * One that ends or parks its run stands alone, and nothing is moved before what concerns its run.
 */
export class GatheredJournals<Result> {
  readonly #open = new Map<string, Gathered<Result>>();
  readonly #submit: (writes: readonly StoreWrite[]) => Promise<Result>;

  constructor(submit: (writes: readonly StoreWrite[]) => Promise<Result>) {
    this.#submit = submit;
  }

  /** What waits was taken: nothing may be added to it any more. */
  taken(): void {
    this.#open.clear();
  }

  add(given: readonly StoreWrite[]): Given<Result> {
    const [journal] = given;
    if (journal?.type !== "journal" || given.length > 1 || !goesOn(journal)) {
      this.#pass(given);
      return { done: this.#submit(given), from: 0, to: Number.POSITIVE_INFINITY };
    }
    const gathered = this.#of(journal);
    const from = gathered.events;
    for (const write of journal.writes) take(gathered, write);
    return { done: gathered.done, from, to: gathered.events };
  }

  #of({ runId, epoch }: Journal): Gathered<Result> {
    const known = this.#open.get(runId);
    if (known?.epoch === epoch) return known;
    const writes: RunJournalWrite[] = [];
    const done = this.#submit([{ type: "journal", runId, epoch, writes }]);
    const gathered = { epoch, writes, events: 0, allowed: new Map<string, number>(), done };
    this.#open.set(runId, gathered);
    return gathered;
  }

  /** Something else is to be written: of the runs that it may concern, nothing goes before it that comes later. */
  #pass(writes: readonly StoreWrite[]): void {
    for (const write of writes) {
      if ("runId" in write) this.#open.delete(write.runId);
      else if (write.type === "create-run") this.#open.delete(write.run.parentId ?? "");
      else this.#open.clear();
    }
  }
}

/** What became of a part of what was written together. */
export function outcomeOfPart(
  outcome: WriteOutcome,
  { from, to }: { readonly from: number; readonly to: number },
): WriteOutcome {
  if (outcome.status !== "committed") return outcome;
  const all: readonly RunEvent[] = outcome.events;
  const events = from === 0 && to >= all.length ? all : all.slice(from, to);
  return { ...outcome, events };
}

function goesOn({ status, writes }: Journal): boolean {
  return status === undefined && !writes.some(({ type }) => type === "result");
}

function take(gathered: Gathered<unknown>, write: RunJournalWrite): void {
  const { writes, allowed } = gathered;
  if (write.type === "event") gathered.events += 1;
  if (write.type === "call") {
    const { callId, status } = write.call;
    const before = allowed.get(callId);
    // It starts in the commit that allows it: one row says both.
    if (before !== undefined && status === "started") {
      writes[before] = write;
      return;
    }
    if (status === "approved") allowed.set(callId, writes.length);
    else allowed.delete(callId);
  }
  writes.push(write);
}
