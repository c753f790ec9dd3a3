import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallView, RunEvent, RunView } from "@capstan/contract";
import { audit } from "./audit.ts";
import type { EndState, LeftRun } from "./end-state.ts";
import type { Execution } from "./executions.ts";

type Unnumbered = Record<string, unknown> & { readonly type: string };

/** The end state of a run in which `Count` was called once and `Ask` was denied. */
const script: readonly Unnumbered[] = [
  { type: "chain.started" },
  { type: "item.start", itemId: "i", kind: "text" },
  { type: "item.delta", itemId: "i", delta: "One, " },
  { type: "item.delta", itemId: "i", delta: "two." },
  { type: "item.end", itemId: "i", text: "One, two." },
  { type: "call.proposed", callId: "c" },
  { type: "call.proposed", callId: "d" },
  { type: "call.started", callId: "c" },
  { type: "approval.requested", callId: "d", approval: { id: "a" } },
  { type: "approval.answered", callId: "d", approvalId: "a" },
  { type: "call.settled", callId: "d", status: "execution_rejected", result: { finalText: "no" } },
  { type: "call.settled", callId: "c", status: "success", result: { finalText: "done" } },
  { type: "chain.ended", status: "completed" },
];

function numbered(events: readonly Unnumbered[]): readonly RunEvent[] {
  return events.map((event, index) => ({ seq: index + 1, ...event }) as unknown as RunEvent);
}

function call(id: string, name: string, status: CallView["status"]): CallView {
  return { id, name, status, idempotencyKey: `r/${id}` } as CallView;
}

const ran: readonly Execution[] = [
  { step: "begun", key: "r/c", tool: "Count" },
  { step: "ended", key: "r/c", tool: "Count" },
];

interface Forged {
  readonly script?: readonly Unnumbered[];
  readonly events?: readonly RunEvent[];
  readonly run?: Partial<RunView>;
  readonly calls?: LeftRun["calls"];
  readonly pending?: boolean;
  readonly executions?: readonly Execution[];
  readonly confirmed?: readonly string[];
  readonly told?: readonly RunEvent[];
}

/** Returns a valid end state with the given parts replaced. */
function stateWith(forged: Forged = {}): EndState {
  const events = forged.events ?? numbered(forged.script ?? script);
  const run = { id: "r", status: "completed", ended_at: 9, last_seq: events.length, ...forged.run };
  const calls = forged.calls ?? [
    call("c", "Count", "succeeded"),
    call("d", "Ask", "execution_rejected"),
  ];
  const status = forged.pending === true ? "pending" : "refused";
  const left = { run, events, calls, approvals: [{ id: "a", status }] } as unknown as LeftRun;
  return {
    runs: [left],
    executions: forged.executions ?? ran,
    confirmed: forged.confirmed ?? ["r"],
    told: new Map([["r", forged.told ?? events.slice(0, 5)]]),
  };
}

/** Returns the script with one event replaced by others. */
function replaced(index: number, ...events: readonly Unnumbered[]): readonly Unnumbered[] {
  return script.toSpliced(index, 1, ...events);
}

const begun = ran.slice(0, 1);
const settled = { type: "call.settled", callId: "c", result: { finalText: "done" } };
const unknown = replaced(11, {
  ...settled,
  status: "outcome_unknown",
  result: { finalText: "It may or may not have happened." },
});

test("a valid end state has no fault", () => {
  assert.deepEqual(audit(stateWith()), []);
});

/** The run of `script` once its deltas are joined. */
const joined = numbered(script).flatMap((event): readonly RunEvent[] => {
  if (event.type !== "item.delta") return [event];
  return event.seq === 3 ? [{ ...event, delta: "One, two." }] : [];
});

test("deltas that are joined after the run's end have no fault, joined or not at the client", () => {
  for (const length of [2, 3, 4, 5, 13]) {
    const told = numbered(script).slice(0, length);
    assert.deepEqual(audit(stateWith({ events: joined, run: { last_seq: 13 }, told })), []);
  }
  assert.deepEqual(audit(stateWith({ events: joined, run: { last_seq: 13 }, told: joined })), []);
  // A reader that reconnected after the first delta.
  const reconnected = numbered(script).filter(({ seq }) => seq !== 4);
  assert.deepEqual(
    audit(stateWith({ events: joined, run: { last_seq: 13 }, told: reconnected })),
    [],
  );
  const lost = numbered(script).filter(({ seq }) => seq !== 3);
  assert.match(
    audit(stateWith({ events: joined, run: { last_seq: 13 }, told: lost })).join(),
    /told/,
  );
});

test("a call that is reported as unknown has no fault, whether it ran or not", () => {
  const calls = [call("c", "Count", "outcome_unknown"), call("d", "Ask", "execution_rejected")];
  for (const executions of [[], begun, ran])
    assert.deepEqual(audit(stateWith({ script: unknown, calls, executions })), []);
});

test("a repeatable call has no fault if it started as often as it ran", () => {
  const calls = [call("c", "Pay", "succeeded"), call("d", "Ask", "execution_rejected")];
  const twice = script.toSpliced(8, 0, { type: "call.started", callId: "c" });
  assert.deepEqual(audit(stateWith({ script: twice, calls, executions: [...begun, ...ran] })), []);
  assert.match(audit(stateWith({ calls, executions: [...begun, ...ran] })).join(), /ran 2 times/);
});

test("a call that was stopped while it ran has no fault if its result says that it may have acted", () => {
  const result = { finalText: "Count was stopped: by the user. It had begun and may have acted." };
  const stopped = replaced(11, { ...settled, status: "cancelled", result });
  const calls = count("cancelled");
  assert.deepEqual(audit(stateWith({ script: stopped, calls, executions: begun })), []);
});

const count = (status: CallView["status"]) => [
  call("c", "Count", status),
  call("d", "Ask", "execution_rejected"),
];

/** Each forgery, and the audit's message for it. */
const forgeries: readonly (readonly [name: string, forged: Forged, said: RegExp])[] = [
  ["a missing run", { confirmed: ["r", "lost"] }, /lost: its start was confirmed/],
  ["a run in progress", { run: { status: "in_progress" } }, /it was not closed/],
  ["a run that waits", { run: { status: "requires_action" } }, /it was not closed/],
  ["a run without the time of its end", { run: { ended_at: null } }, /no time of its end/],
  ["no closing event", { script: script.slice(0, -1) }, /it has 0 closing events/],
  [
    "two closing events",
    { script: [...script, { type: "chain.ended", status: "completed" }] },
    /it has 2 closing events/,
  ],
  ["an event after the end", { script: [...script, { type: "run.heartbeat" }] }, /last event/],
  [
    "an end that differs from the row",
    { run: { status: "failed" } },
    /closing event says completed/,
  ],
  ["a number that is missing", { events: numbered(script).toSpliced(7, 1) }, /number 8 says 9/],
  [
    "a delta that is missing",
    { events: numbered(script).toSpliced(3, 1) },
    /the item i is not what was sent of it/,
  ],
  [
    "a number twice",
    { events: numbered(script).toSpliced(3, 0, numbered(script)[2]!) },
    /number 4 says 3/,
  ],
  ["a row with another count", { run: { last_seq: 3 } }, /its row counts 3 events/],
  ["an item without an end", { script: replaced(4) }, /the item i has no end/],
  ["an item with another text", { script: replaced(3) }, /not what was sent of it/],
  ["an item without a beginning", { script: replaced(1) }, /continues without a start/],
  [
    "an item that begins twice",
    { script: script.toSpliced(5, 0, script[1]!) },
    /the item i begins twice/,
  ],
  ["a call that never ended", { script: replaced(11) }, /it was settled 0 times/],
  ["a call that ended twice", { script: script.toSpliced(11, 0, script[11]!) }, /settled 2 times/],
  ["an end that the ledger does not know", { calls: count("failed") }, /its event says success/],
  [
    "a call begun again after its end",
    { script: script.toSpliced(12, 0, { type: "call.started", callId: "c" }) },
    /begun again after its end/,
  ],
  ["a finished call that ran twice", { executions: [...ran, ...ran] }, /must not run twice/],
  [
    "a call that ran twice and was started twice",
    {
      script: script.toSpliced(8, 0, { type: "call.started", callId: "c" }),
      executions: [...begun, ...ran],
    },
    /must not run twice/,
  ],
  ["a success that never ended", { executions: begun }, /its tool never ended/],
  ["a call that ran without being begun", { script: replaced(7) }, /was begun 0 times/],
  [
    "a refused call that ran",
    { executions: [...ran, { step: "begun", key: "r/d", tool: "Ask" }] },
    /it ran, and the ledger says execution_rejected/,
  ],
  [
    "an unknown outcome that is called cancelled",
    { script: replaced(11, { ...settled, status: "cancelled" }), calls: count("cancelled") },
    /it ran, and the ledger says cancelled/,
  ],
  [
    "an unknown outcome that the model does not read",
    {
      script: replaced(11, { ...settled, status: "outcome_unknown" }),
      calls: count("outcome_unknown"),
    },
    /the model is not told/,
  ],
  [
    "an execution that is in no ledger",
    { executions: [...ran, { step: "begun", key: "r/x", tool: "Count" }] },
    /r\/x: ran, but is in no ledger/,
  ],
  [
    "a call that is in no ledger",
    { calls: count("succeeded").slice(1) },
    /no ledger has the call c/,
  ],
  ["a row that nothing announced", { script: replaced(5) }, /nothing announced the call c/],
  [
    "a call that is announced twice",
    { script: script.toSpliced(5, 0, script[5]!) },
    /announced twice/,
  ],
  ["an approval request that is still pending", { pending: true }, /a is still asked/],
  [
    "an approval request that was answered twice",
    { script: script.toSpliced(9, 0, script[9]!) },
    /a question was answered twice/,
  ],
  [
    "a client that received another event",
    { told: numbered(replaced(2, { type: "item.delta", itemId: "i", delta: "lost" })).slice(0, 4) },
    /a client was told .*lost/,
  ],
  [
    "a client that received more events than are stored",
    { told: numbered([...script, { type: "run.heartbeat" }]) },
    /a client was told .* as number 14/,
  ],
];

for (const [name, forged, said] of forgeries)
  test(`${name} is a fault`, () => assert.match(audit(stateWith(forged)).join("\n"), said));
