import assert from "node:assert/strict";
import { test } from "node:test";
import { isSettled } from "@capstan/core/host";
import { ScriptedModel } from "@capstan/core/testing";
import { isClosing, type Store } from "@capstan/store";
import { owner, withMemoryStore, intact } from "@capstan/store/testing";
import fc from "fast-check";
import { defaultServerLimits } from "../request/run-limits.ts";
import type { RunService } from "../run-service.ts";
import { asking, begin, createRuns, requestOf, tool } from "../../testing/run-fixtures.ts";

const actions = [
  "allow",
  "allow for the session",
  "refuse",
  "submit",
  "edit",
  "refresh",
  "heartbeat",
  "revoke",
  "take over",
  "fail",
  "kill",
  "stop",
  "expire",
  "cancel",
] as const;
type Action = (typeof actions)[number];

/** One process: its service, and whether it has been killed. */
interface Process {
  readonly runs: RunService;
  /** Resolves when it is killed. Its open requests then get no response. */
  readonly killed: Promise<void>;
  readonly kill: () => void;
  /** Whether its next journal commit fails. */
  readonly fail: () => void;
}

const weather = { type: "function", function: { name: "Weather" } } as const;
const round = ["Look", "Ask", "Once", "Weather"].map((name) => ({ name }));
const never = new Promise<never>(() => {});

function processOn(inner: Store): Process {
  let isKilled = false;
  const killed = Promise.withResolvers<void>();
  let failures = 0;
  const store: Store = {
    ...inner,
    write: (writes) => {
      // Simulates kill -9: the process writes nothing more and receives no message.
      if (isKilled) return never;
      if (failures === 0 || writes[0]?.type !== "journal") return inner.write(writes);
      failures -= 1;
      return Promise.reject(new Error("the disk is full"));
    },
  };
  const model = new ScriptedModel([]);
  // The model makes two rounds of calls, whether the run starts or resumes.
  model.stream = (request, signal) => {
    const rounds = request.messages.filter(({ role }) => role === "assistant").length;
    const step = rounds < 2 ? { text: `Round ${rounds}.`, calls: round } : "done";
    return new ScriptedModel([step]).stream(request, signal);
  };
  const runs = createRuns({
    store,
    model,
    tools: [
      tool("Look", () => "seen"),
      asking("Ask", () => "made"),
      tool("Once", () => "made", "ask-once"),
    ],
    limits: { ...defaultServerLimits, runsAtOnce: 1 },
  });
  const kill = () => {
    isKilled = true;
    killed.resolve();
  };
  return { runs, killed: killed.promise, kill, fail: () => void (failures += 1) };
}

/** The outcomes of all actions on a run. */
class Life {
  readonly store: Store;
  readonly id: string;
  readonly processes: Process[];
  /** The effective decision of each approval. */
  readonly decided = new Map<string, string>();
  /** The effective output of each call. */
  readonly submitted = new Map<string, string>();
  readonly edits = { kept: [] as string[], refused: [] as string[] };
  #next = 0;

  constructor(store: Store, id: string, first: Process) {
    this.store = store;
    this.id = id;
    this.processes = [first];
  }

  get process(): Process {
    return this.processes.at(-1)!;
  }

  async #replace(gone: Process): Promise<void> {
    this.processes.splice(this.processes.indexOf(gone), 1);
    const next = processOn(this.store);
    this.processes.push(next);
    await next.runs.recover(await next.runs.listUnfinished());
  }

  /** Runs an action on the newest process, until that process is killed. */
  async act(action: Action): Promise<void> {
    const { process } = this;
    await Promise.race([this.#act(process, action), process.killed]);
    if (action === "kill" && this.processes.includes(process)) await this.#replace(process);
  }

  async #act(process: Process, action: Action): Promise<void> {
    const { store, id } = this;
    const { runs, kill, fail } = process;
    const run = await store.getRun({ owner, id });
    assert.ok(run !== undefined);
    switch (action) {
      case "allow":
      case "allow for the session":
      case "refuse": {
        const open = intact(await store.listApprovals({ owner, runId: id, status: "pending" }));
        const approval = open.data[0];
        if (approval === undefined) return;
        const n = this.#next++;
        const answer =
          action === "refuse"
            ? ({ decision: "refuse", reason: `no ${n}` } as const)
            : ({ decision: "allow", scope: action === "allow" ? "once" : "session" } as const);
        const answered = await runs.answer(owner, approval.id, answer, id);
        assert.ok(answered !== undefined && answered.status !== "pending");
        const before = this.decided.get(approval.id);
        assert.ok(before === undefined || before === answered.status, "the first one counts");
        this.decided.set(approval.id, answered.status);
        return;
      }
      case "submit": {
        const calls = (await store.readCalls({ owner, runId: id })) ?? [];
        const open = calls.find(({ call }) => call.owner === "client" && !isSettled(call.status));
        if (open === undefined) return;
        const { callId } = open.call;
        const output = `rain ${this.#next++}`;
        const outcome = await runs.submitOutputs(owner, id, [{ callId, output }]);
        if (outcome.status !== "submitted") return;
        if (outcome.taken.includes(callId)) this.submitted.set(callId, output);
        return;
      }
      case "edit": {
        const name = `edit_${this.#next++}`;
        const conversation = await store.getConversation({ owner, id: "c" });
        const edited = await runs
          .editVariables(conversation!, (draft) => void draft.addVariable(name, "x", "USER_ADD"))
          .catch(() => undefined);
        (edited === undefined ? this.edits.refused : this.edits.kept).push(name);
        return;
      }
      case "refresh":
        return runs.refreshAll();
      case "heartbeat":
        return runs.heartbeat({ owner, id });
      case "revoke": {
        const { data } = intact(await store.listGrants({ owner, limit: 10 }));
        for (const { grant } of data) await runs.revokeGrant(owner, grant.id);
        return;
      }
      case "take over": {
        // Another process claims the run. This one continues and is fenced at its next write.
        const other = processOn(store);
        this.processes.push(other);
        if (!isClosing(run.status) && run.status !== "requires_action")
          await other.runs.recover([run]);
        return;
      }
      case "fail":
        return fail();
      case "kill":
        return kill();
      case "stop":
        await runs.close(0);
        if (this.processes.includes(process)) await this.#replace(process);
        return;
      case "expire":
        if (run.status === "requires_action") await runs.expire(run);
        return;
      case "cancel":
        return runs.cancel(run);
    }
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

const steps = fc.array(
  fc.record({
    action: fc.constantFrom(...actions),
    /** Number of event loop turns until the next action starts, even if this one has not ended. */
    pause: fc.constantFrom(0, 0, 1, 3, 12),
  }),
  { maxLength: 16 },
);

// Contract: durability-8
test("each command of a run takes effect once or is rejected, and the run ends once and leaves nothing behind", async () => {
  await fc.assert(
    fc.asyncProperty(steps, (script) =>
      withMemoryStore(async (store) => {
        const switches = { groups: {}, tools: {} };
        const conversation = { id: "c", owner, title: "", metadata: {}, switches };
        await store.write([{ type: "create-conversation", ...conversation }]);
        const first = processOn(store);
        const request = { clientTools: [weather], toolOutputs: "inline", conversationId: "c" };
        const { id } = await begin(first.runs, requestOf("go", request as object));
        const life = new Life(store, id, first);
        const doing: Promise<void>[] = [];
        for (const { action, pause } of script) {
          doing.push(life.act(action));
          await turns(pause);
        }
        await Promise.all(doing);
        const now = await store.getRun({ owner, id });
        if (now !== undefined && !isClosing(now.status)) await life.process.runs.cancel(now);
        await check(life);
        const ended = await store.getRun({ owner, id });
        for (const action of ["allow", "submit", "heartbeat", "cancel"] as const)
          await life.act(action);
        await turns(4);
        assert.deepEqual(await store.getRun({ owner, id }), ended, "no event follows its end");
      }),
    ),
    { numRuns: 60 },
  );
});

async function check({ store, id, processes, ...life }: Life): Promise<void> {
  const runs = processes.map((process) => process.runs);
  for (let turn = 0; runs.some((one) => !isIdle(one)); turn++) {
    assert.ok(turn < 500, "something is left");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const run = await store.getRun({ owner, id });
  assert.ok(run !== undefined && isClosing(run.status), run?.status ?? "gone");
  const events = (await store.readEvents({ owner, runId: id, limit: 1_000 })) ?? [];
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  assert.equal(events.filter(({ type }) => type === "chain.ended").length, 1);
  assert.equal(events.at(-1)?.type, "chain.ended");
  const calls = ((await store.readCalls({ owner, runId: id })) ?? []).map(({ call }) => call);
  assert.ok(calls.every(({ status }) => isSettled(status)));
  const { data } = intact(await store.listApprovals({ owner, runId: id }));
  for (const { id: approvalId, status, callId } of data) {
    assert.notEqual(status, "pending");
    const decided = life.decided.get(approvalId);
    if (decided === undefined) continue;
    assert.equal(status, decided);
    const ended = calls.find((call) => call.callId === callId)?.status;
    if (status === "refused") assert.notEqual(ended, "succeeded");
    else assert.notEqual(ended, "execution_rejected");
  }
  for (const [callId, output] of life.submitted) {
    const call = calls.find((one) => one.callId === callId);
    assert.ok(
      call?.status === "cancelled" || call?.result?.finalText === output,
      call?.status ?? "gone",
    );
  }
  const variables = await store.readVariables({ owner, runId: id });
  const names = Object.keys(variables?.manifest ?? {});
  for (const name of life.edits.kept) assert.ok(names.includes(name), `${name} is lost`);
  for (const name of life.edits.refused) assert.ok(!names.includes(name), `${name} was refused`);
}

function isIdle(runs: RunService): boolean {
  const { claimedRuns, pendingRuns } = runs.load();
  return claimedRuns === 0 && pendingRuns === 0 && runs.dispatcher.hasFreeSlot;
}
