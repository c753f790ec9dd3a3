import { isDeepStrictEqual } from "node:util";
import type { CallView, RunEvent, RunStatus } from "@capstan/contract";
import { repeatableTools } from "./counting-tools.ts";
import type { EndState, LeftRun } from "./end-state.ts";
import type { Execution } from "./executions.ts";

/**
 * Returns the faults of an end state, a sentence each. The list is empty if all promises are kept:
 * each run ended once. Its events are numbered without a gap or a duplicate. No finished call ran
 * again. Every unknown outcome is reported. Everything that a client received is stored.
 */
export function audit(state: EndState): readonly string[] {
  const ids = new Set(state.runs.map(({ run }) => run.id));
  const executions = Map.groupBy(state.executions, ({ key }) => key);
  const keys = new Set(state.runs.flatMap(({ calls }) => calls.map((call) => call.idempotencyKey)));
  return [
    ...state.confirmed
      .filter((id) => !ids.has(id))
      .map((id) => `${id}: its start was confirmed, but it does not exist`),
    ...[...executions.keys()]
      .filter((key) => !keys.has(key))
      .map((key) => `${key}: ran, but is in no ledger`),
    ...state.runs.flatMap((left) => {
      const problems = [
        ...closingProblems(left),
        ...numberProblems(left.events),
        ...itemProblems(left.events),
        ...left.calls.flatMap((call) =>
          [...callProblems(left, call, executions.get(call.idempotencyKey) ?? [])].map(
            (problem) => `call ${call.id} (${call.name}): ${problem}`,
          ),
        ),
        ...ledgerProblems(left),
        ...answerProblems(left),
        ...toldProblems(left.events, state.told.get(left.run.id) ?? []),
      ];
      return problems.map((problem) => `${left.run.id}: ${problem}`);
    }),
  ];
}

const closedBy: { readonly [status in RunStatus]?: readonly string[] } = {
  completed: ["completed"],
  incomplete: ["completed"],
  failed: ["error"],
  cancelled: ["aborted"],
  expired: ["timeout"],
};

function* closingProblems({ run, events }: LeftRun): Generator<string> {
  const closing = events.filter((event) => event.type === "chain.ended");
  const expected = closedBy[run.status];
  if (expected === undefined) yield `it is ${run.status}: it was not closed`;
  if (expected !== undefined && run.ended_at === null) yield "it has no time of its end";
  if (closing.length !== 1) yield `it has ${closing.length} closing events`;
  if (events.at(-1)?.type !== "chain.ended") yield "its last event is not the closing one";
  for (const { status } of closing)
    if (expected?.includes(status) === false)
      yield `it is ${run.status}, but its closing event says ${status}`;
  const last = events.at(-1)?.seq ?? 0;
  if (run.last_seq !== last)
    yield `its row counts ${run.last_seq} events, and the number of the last one is ${last}`;
}

/**
 * The deltas of an item can be joined an hour after the run's end. Then only the number of the
 * first delta exists.
 */
function* numberProblems(events: readonly RunEvent[]): Generator<string> {
  let before: RunEvent | undefined;
  for (const event of events) {
    const next = (before?.seq ?? 0) + 1;
    const mayBeJoined = before?.type === "item.delta" && event.seq > next;
    if (event.seq !== next && !mayBeJoined)
      return yield `its event number ${next} says ${event.seq}`;
    before = event;
  }
}

/** Checks that each item starts once and ends once, and that its final text equals its deltas. */
function* itemProblems(events: readonly RunEvent[]): Generator<string> {
  const open = new Map<string, string>();
  const closed = new Set<string>();
  const whole = new Set<string>();
  for (const event of events) {
    if (event.type === "item.start" && event.kind === "arguments") whole.add(event.itemId);
    if (event.type === "item.start") {
      if (open.has(event.itemId) || closed.has(event.itemId))
        yield `the item ${event.itemId} begins twice`;
      open.set(event.itemId, "");
    }
    if (event.type !== "item.delta" && event.type !== "item.end") continue;
    const text = open.get(event.itemId);
    if (text === undefined) yield `the item ${event.itemId} continues without a start`;
    if (event.type === "item.delta") open.set(event.itemId, (text ?? "") + event.delta);
    if (event.type !== "item.end") continue;
    // Direct calls have whole arguments, without deltas.
    const isWhole = text === "" && whole.has(event.itemId);
    if (text !== event.text && !isWhole)
      yield `the item ${event.itemId} is not what was sent of it`;
    open.delete(event.itemId);
    closed.add(event.itemId);
  }
  for (const itemId of open.keys()) yield `the item ${itemId} has no end`;
}

/** Compares a call with its events and with its tool's executions. */
function* callProblems(
  { events }: LeftRun,
  call: CallView,
  executions: readonly Execution[],
): Generator<string> {
  const own = events.filter((event) => "callId" in event && event.callId === call.id);
  const settled = own.flatMap((event) => (event.type === "call.settled" ? [event] : []));
  const starts = own.filter(({ type }) => type === "call.started").length;
  const [last] = settled;
  if (settled.length !== 1 || last === undefined)
    return yield `it was settled ${settled.length} times`;
  if (statusOf[last.status] !== call.status)
    yield `it is ${call.status}, and its event says ${last.status}`;
  if (own.some(({ type, seq }) => type === "call.started" && seq > last.seq))
    yield "it was begun again after its end";

  const begun = executions.filter(({ step }) => step === "begun").length;
  const ended = executions.length - begun;
  if (begun > starts) yield `it ran ${begun} times, and was begun ${starts} times`;
  if (call.status === "succeeded" && ended === 0) yield "it succeeded, and its tool never ended";
  if (call.status === "outcome_unknown" && !/may or may not/.test(last.result.finalText))
    yield "its outcome is unknown, and the model is not told";
  if (repeatableTools.includes(call.name)) return;
  if (begun > 1) yield `it ran ${begun} times, and must not run twice`;
  // The user who stops a call is told whether it had started.
  if (call.status === "cancelled" && / may have acted\./.test(last.result.finalText)) return;
  if (begun > 0 && call.status !== "succeeded" && call.status !== "outcome_unknown")
    yield `it ran, and the ledger says ${call.status}`;
}

const statusOf: { readonly [settled: string]: CallView["status"] } = {
  success: "succeeded",
  error: "failed",
  timed_out: "timed_out",
  execution_rejected: "execution_rejected",
  result_rejected: "result_rejected",
  not_found: "not_found",
  cancelled: "cancelled",
  outcome_unknown: "outcome_unknown",
};

/** Checks that each proposed call is in the ledger, and each call of the ledger was proposed. */
function* ledgerProblems({ events, calls }: LeftRun): Generator<string> {
  const proposed = events.flatMap((event) =>
    event.type === "call.proposed" ? [event.callId] : [],
  );
  const rows = calls.map(({ id }) => id);
  for (const id of proposed) if (!rows.includes(id)) yield `no ledger has the call ${id}`;
  for (const id of rows) if (!proposed.includes(id)) yield `nothing announced the call ${id}`;
  if (new Set(proposed).size < proposed.length) yield "a call was announced twice";
}

/** Checks that each approval request was answered once or cancelled, and that none is pending. */
function* answerProblems({ events, approvals }: LeftRun): Generator<string> {
  for (const { id, status } of approvals) if (status === "pending") yield `${id} is still asked`;
  const answered = events.flatMap((event) =>
    event.type === "approval.answered" ? [event.approvalId] : [],
  );
  if (new Set(answered).size < answered.length) yield "a question was answered twice";
}

/**
 * Checks that a client received each stored event once, in order. Nodes with different clocks may send
 * the deltas of an item joined or not, so the texts of the deltas are compared: a client received the
 * beginning of the item's text.
 */
function* toldProblems(events: readonly RunEvent[], told: readonly RunEvent[]): Generator<string> {
  const texts = new Map<string, string>();
  for (const event of events) addText(texts, event);
  const others = events.filter(({ type }) => type !== "item.delta");
  const heard = new Map<string, string>();
  let index = 0;
  for (const event of told) {
    const text = addText(heard, event);
    const isStored =
      event.type === "item.delta"
        ? text !== undefined && texts.get(event.itemId)?.startsWith(text) === true
        : isDeepStrictEqual(event, others[index++]);
    if (isStored) continue;
    const stored = event.type === "item.delta" ? texts.get(event.itemId) : others[index - 1];
    yield `a client was told ${JSON.stringify(event)} as number ${event.seq}, and stored is ${JSON.stringify(stored)}`;
    return;
  }
}

/** Adds a delta to the text of its item. Returns the text, or `undefined` for other events. */
function addText(texts: Map<string, string>, event: RunEvent): string | undefined {
  if (event.type !== "item.delta") return undefined;
  const text = (texts.get(event.itemId) ?? "") + event.delta;
  texts.set(event.itemId, text);
  return text;
}
