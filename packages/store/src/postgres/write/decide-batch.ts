import type { EncodedRequest } from "../../encode/run-commit.ts";
import { errorDataOf } from "../../records/error-data.ts";
import { type Script, type Statement, together } from "../../sql/script.ts";
import { bind, statement } from "../../sql/statement.ts";
import { nextRun } from "../../decide/runs/write-runs.ts";
import { isAccepted } from "../../records/write-outcomes.ts";
import { applyRequest, refusedOutcomes } from "../../decide/apply-request.ts";
import type { WriteResult } from "../../records/write-results.ts";
import type { FailedWrites } from "../../decide/state/failed-writes.ts";
import type { RunState, RunStates } from "../../decide/state/run-states.ts";
import type { WriteContext } from "../../decide/state/write-context.ts";
import { type BatchCall, type Lane, stagesOf } from "./lanes.ts";
import { type BatchChanges, CallChanges, readsOtherTables, tablesOf } from "./postgres-changes.ts";

/** State and output that the decisions of one batch share. */
export interface BatchContext {
  readonly runs: RunStates;
  readonly failedWrites: FailedWrites;
  /** Who claims. */
  readonly node: string;
  /** The numbers of the runs that the batch makes, in rising order. */
  readonly runNumbers: readonly number[];
  /** Takes the changes of those that are accepted; what a read must see of them is sent before it. */
  readonly pendingChanges: BatchChanges;
}

/**
 * Decides about the calls of a batch, each all or nothing by itself. What those of different runs ask
 * for goes over together, so that a batch of many takes no more messages than one call.
 */
export function* decideBatch(
  batchContext: BatchContext,
  requests: readonly EncodedRequest[],
): Script<readonly WriteResult[]> {
  const results: WriteResult[] = [];
  const numbers = numbersOf(requests, batchContext.runNumbers);
  const decide = (call: BatchCall, lane?: Lane) =>
    decideCall(batchContext, { call, lane, numbers: numbers[call.at] ?? [] });

  function* decideLane(lane: Lane): Script<readonly BatchCall[]> {
    for (const [index, call] of lane.entries()) {
      const result = yield* decide(call, lane);
      if (result === undefined) return lane.slice(index);
      results[call.at] = result;
    }
    return [];
  }

  for (const stage of stagesOf(requests)) {
    batchContext.pendingChanges.addBarrier();
    const alone =
      stage.type === "alone" ? [stage.call] : (yield* together(stage.lanes.map(decideLane))).flat();
    for (const call of alone) {
      const result = yield* decide(call);
      if (result !== undefined) results[call.at] = result;
    }
  }
  return results;
}

/**
 * @param given.lane where others are decided beside it
 * @returns undefined where it must be decided alone, as it reads what it changed itself: nothing of it is done
 */
function* decideCall(
  { runs, failedWrites, node, pendingChanges }: BatchContext,
  given: {
    readonly call: BatchCall;
    readonly lane: Lane | undefined;
    readonly numbers: readonly number[];
  },
): Script<WriteResult | undefined> {
  const { call, lane } = given;
  const { request } = call;
  const numbers = [...given.numbers];
  const changes = new CallChanges();
  const states = new CallStates(runs);
  const context: WriteContext = {
    database: "postgres",
    changes,
    runs: states,
    failedWrites,
    node,
    trim: null,
    nextTail: 1,
  };
  const script = applyRequest(context, request);
  let saved = false;
  const undo = function* () {
    if (saved) yield [rollback];
  };
  try {
    let step = script.next([]);
    while (step.done !== true) {
      const statements = step.value;
      if (statements[0]?.sql === nextRun) {
        // A new run's number came with the locks.
        step = script.next([[{ n: numbers.shift() }]]);
        continue;
      }
      const before: Statement[] = [];
      if (changes.touches(statements.flatMap(tablesOf))) {
        if (lane !== undefined) return undefined;
        // A read sees what was changed before it.
        if (!saved) before.push(...pendingChanges.flush(), savepoint);
        saved = true;
        before.push(...pendingChanges.add(changes.list.splice(0)), ...pendingChanges.flush());
      }
      step = script.next((yield [...before, ...statements]).slice(before.length));
    }
    const outcomes = step.value;
    const last = outcomes.at(-1);
    if (last !== undefined && !isAccepted(last)) {
      yield* undo();
      return { outcomes: refusedOutcomes(request, outcomes) };
    }
    if (lane !== undefined && changes.list.some(readsOtherTables)) return undefined;
    const ready = pendingChanges.add(changes.list, lane);
    if (ready.length > 0) yield ready;
    states.commit();
    return { outcomes };
  } catch (thrown) {
    yield* undo();
    failedWrites.add(request.writes);
    return { error: errorDataOf("Writing to the store", thrown) };
  }
}

/** Behind it are the changes of a call that reads what it changed: until then they need not be sent. */
const savepoint = bind(statement({}, { postgres: "SAVEPOINT call" }));
const rollback = bind(statement({}, { postgres: "ROLLBACK TO call" }));

/** Which new run gets which number is as their calls came. */
function numbersOf(
  requests: readonly EncodedRequest[],
  numbers: readonly number[],
): readonly (readonly number[])[] {
  const left = [...numbers];
  return requests.map(({ writes }) =>
    left.splice(0, writes.filter(({ type }) => type === "create-run").length),
  );
}

/** The run states of one call, apart from the shared ones until the call is accepted. */
class CallStates implements Pick<RunStates, "get" | "set" | "drop"> {
  readonly #before: RunStates;
  readonly #changed = new Map<string, RunState | undefined>();

  constructor(before: RunStates) {
    this.#before = before;
  }

  get(id: string): RunState | undefined {
    return this.#changed.has(id) ? this.#changed.get(id) : this.#before.get(id);
  }

  set(state: RunState): void {
    this.#changed.set(state.id, state);
  }

  drop(id: string): void {
    this.#changed.set(id, undefined);
  }

  /** Copies the states into the shared ones. */
  commit(): void {
    for (const [id, state] of this.#changed)
      if (state === undefined) this.#before.drop(id);
      else this.#before.set(state);
  }
}
