import assert from "node:assert/strict";
import fc from "fast-check";
import { newId } from "@capstan/core/host";
import type { RunEvent } from "@capstan/contract";
import type { Store } from "../live/store.ts";
import type { RunJournalWrite } from "../records/store-writes.ts";
import { everyStore } from "../testing/every-store.ts";
import {
  approvalRequest,
  callRecord,
  commit,
  createRun,
  delta,
  end,
  event,
  grantOf,
  resultOf,
  type settableClock,
  start,
  variableOf,
} from "../testing/store-fixtures.ts";

const owners = ["ann", "ben"];

/** A random run. */
const aRun = fc.record({
  owner: fc.constantFrom(...owners),
  /** A conversation of the same owner by number, or none. */
  conversation: fc.option(fc.nat(2), { nil: undefined }),
  /** An earlier run of the same owner to continue, or none. */
  parent: fc.option(fc.nat(20), { nil: undefined }),
  pieces: fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }), { maxLength: 6 }),
  value: fc.constantFrom("a", "long ".repeat(400), "b"),
  ending: fc.constantFrom("ended", "ended", "ended", "running", "asks", "unknown", "reported"),
});

const aStep = fc.oneof(
  fc.record({ type: fc.constant("forget" as const), run: fc.nat(20) }),
  fc.record({ type: fc.constant("collect" as const), rows: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ type: fc.constant("drop" as const) }),
  fc.record({ type: fc.constant("continue" as const), run: fc.nat(20) }),
);

type RunPlan = typeof aRun extends fc.Arbitrary<infer T> ? T : never;

interface Made {
  readonly id: string;
  readonly owner: string;
  readonly conversationId: string | undefined;
  readonly ending: RunPlan["ending"];
}

async function make(store: Store, plans: readonly RunPlan[]): Promise<Made[]> {
  const made: Made[] = [];
  const conversations = new Map<string, string>();
  for (const plan of plans) {
    const { owner } = plan;
    const own = made.filter((run) => run.owner === owner && run.ending !== "running");
    const parent = plan.parent === undefined ? undefined : own[plan.parent % (own.length || 1)];
    const key = plan.conversation === undefined ? undefined : `${owner} ${plan.conversation}`;
    if (key !== undefined && !conversations.has(key)) {
      const id = newId("conv_");
      conversations.set(key, id);
      const about = { title: key, metadata: {}, switches: { groups: {}, tools: {} } };
      await store.write([{ type: "create-conversation", id, owner, ...about }]);
    }
    const conversationId = key === undefined ? undefined : conversations.get(key);
    const id = newId("resp_");
    const parentId = parent?.id;
    await createRun(store, {
      id,
      owner,
      input: ["said"],
      ...(parentId !== undefined && { parentId }),
      ...(conversationId !== undefined && { conversationId }),
    });
    await commit(store, id, happened(id, plan));
    const item = { id: `item of ${id}`, item: {} };
    await store.write([{ type: "save-items", runId: id, direction: "input", items: [item] }]);
    made.push({ id, owner, conversationId, ending: plan.ending });
  }
  return made;
}

function happened(id: string, { pieces, value, ending }: RunPlan): RunJournalWrite[] {
  const text = pieces.join("");
  const status = ending === "unknown" || ending === "reported" ? "outcome_unknown" : "succeeded";
  const call = callRecord(`call of ${id}`, {
    status,
    ...(ending === "reported" && { found: { answer: "happened", at: 1, by: "ann" } }),
  });
  return [
    { type: "message", round: 0, message: { role: "user", content: "hello" } },
    start("i"),
    ...pieces.map((piece) => delta("i", piece)),
    end("i", text),
    { type: "call", call },
    { type: "variable", change: { type: "set", variable: variableOf("v", `not ${value}`) } },
    { type: "variable", change: { type: "set", variable: variableOf("v", value) } },
    { type: "grant", grant: grantOf(`grant of ${id}`) },
    ...(ending === "asks"
      ? [
          event({
            type: "approval.requested",
            approval: approvalRequest(`ask ${id}`, 1e9),
          } as never),
        ]
      : []),
    ...(ending === "running" ? [] : [resultOf("completed")]),
  ];
}

/** All readable data of a run; of deltas their numbers and their joined text. */
async function everythingOf(store: Store, { id, owner, conversationId }: Made): Promise<unknown> {
  const query = { owner, runId: id };
  const manifest = await store.readManifest(query);
  const values = await Promise.all(
    Object.values(manifest ?? {}).map(
      async ({ value, digest = "" }) => value ?? (await store.readValue({ owner, digest })),
    ),
  );
  const run = await store.getRun({ owner, id });
  const conversation =
    conversationId === undefined
      ? undefined
      : await store.getConversation({ owner, id: conversationId });
  return {
    run,
    conversation,
    manifest,
    values,
    events: joined((await store.readEvents(query)) ?? []),
    compact: await store.readEventsCompact(query),
    messages: await store.readMessages(query),
    calls: await store.readCalls(query),
    items: await store.listItems(query),
    item: await store.getItem({ owner, id: `item of ${id}` }),
    approvals: await store.listApprovals(query),
    lineage: (await store.ancestors(query))?.map((each) => each.run.id),
    grants: await store.getGrant({ owner, id: `grant of ${id}` }),
  };
}

function joined(events: readonly RunEvent[]): unknown {
  const texts: { [item: string]: string } = {};
  const rest = events.map((each) => {
    if (each.type !== "item.delta") return each;
    texts[each.itemId] = (texts[each.itemId] ?? "") + each.delta;
    return { ...each, delta: each.delta !== "" };
  });
  return { rest, texts };
}

async function bytesOf(store: Store): Promise<number> {
  return (await store.everyUsage()).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The sum of the sizes of all lineages, each counted once. */
async function bytesOfLineages(store: Store, runs: readonly Made[]): Promise<number> {
  const lineages = new Map<string, number>();
  for (const { id, owner } of runs) {
    const run = await store.getRun({ owner, id });
    if (run === undefined) continue;
    const start = { type: "session", id: run.sessionId } as const;
    const lineage = await store.getLineage({ owner, start });
    if (lineage !== undefined) lineages.set(lineage.sessions.join(), lineage.bytes);
  }
  return [...lineages.values()].reduce((sum, bytes) => sum + bytes, 0);
}

// Contract: durability-29
everyStore(
  "whenever lineages are deleted, the others are read back unchanged, and all sizes are right",
  async (withStore, kind) => {
    const scenario = fc.record({
      runs: fc.array(aRun, { minLength: 1, maxLength: 8 }),
      steps: fc.array(aStep, { maxLength: 14 }),
    });
    const check = fc.asyncProperty(scenario, ({ runs: plans, steps }) =>
      withStore(async (store, clock) => {
        const runs = await make(store, plans);
        await follow(store, clock, runs, steps);
      }),
    );
    await fc.assert(check, { numRuns: { memory: 25, file: 4, PostgreSQL: 1 }[kind] });
  },
);

async function follow(
  store: Store,
  clock: ReturnType<typeof settableClock>,
  runs: Made[],
  steps: readonly (typeof aStep extends fc.Arbitrary<infer T> ? T : never)[],
): Promise<void> {
  const empty = runs.length === 0;
  assert.equal(empty, false);
  const gone = new Set<string>();
  const known = new Map<string, unknown>();
  const look = async () => {
    for (const run of runs) known.set(run.id, await everythingOf(store, run));
  };
  await look();
  const all = [
    ...steps,
    ...Array.from({ length: 40 }, () => ({ type: "collect", rows: 1_000 }) as const),
  ];
  for (const [index, step] of all.entries()) {
    const before = await bytesOf(store);
    if (step.type === "forget") {
      const run = runs[step.run % runs.length] as Made;
      const found = await store.getRun({ owner: run.owner, id: run.id });
      const start = { type: "session", id: found?.sessionId ?? "" } as const;
      const lineage = await store.getLineage({ owner: run.owner, start });
      const write = { type: "forget-lineage", owner: run.owner, start, before: clock.now() + 1 };
      const [outcome] = await store.write([write as typeof write & { type: "forget-lineage" }]);
      const members = runs.filter(({ id }) => lineage?.runIds.includes(id) === true);
      const held = members.some(({ ending }) => ["running", "asks", "unknown"].includes(ending));
      const expected = gone.has(run.id) ? "not_found" : held ? "refused" : "deleted";
      assert.equal(outcome.status, expected);
      if (outcome.status === "deleted") for (const { id } of members) gone.add(id);
    }
    if (step.type === "collect") {
      const write = { type: "collect-forgotten", rows: step.rows, bytes: 1_000 } as const;
      const [outcome] = await store.write([write]);
      assert.equal(outcome.status, "collected");
      if (outcome.status !== "collected") return;
      assert.equal(before - (await bytesOf(store)), outcome.bytes);
      assert.ok(outcome.rows <= step.rows);
      if (!outcome.more && index >= steps.length) break;
    }
    if (step.type === "drop") {
      const { found } = await store.everyUnreachable({ after: 0 });
      for (const one of found) await store.write([{ type: "drop-unreachable", found: one }]);
    }
    if (step.type === "continue") {
      const parent = runs[step.run % runs.length] as Made;
      const { owner } = parent;
      const whole = { id: newId("resp_"), owner, model: "m", request: {}, input: [] };
      const run = { ...whole, status: "completed", parentId: parent.id } as const;
      const [outcome] = await store.write([{ type: "create-run", run }]);
      const isOver = parent.ending !== "running";
      assert.equal(outcome.status === "created", !gone.has(parent.id) || !isOver);
      if (outcome.status === "created") {
        const made: Made = { id: run.id, owner, conversationId: undefined, ending: "ended" };
        runs.push(made);
        known.set(run.id, await everythingOf(store, made));
      }
    }
    if (index < steps.length || step.type !== "collect") {
      for (const run of runs) {
        const now = await everythingOf(store, run);
        if (gone.has(run.id)) assertNothing(now);
        else assert.deepEqual(now, known.get(run.id));
      }
    }
  }
  assert.equal(await bytesOf(store), await bytesOfLineages(store, runs));
  for (const run of runs)
    if (!gone.has(run.id)) assert.deepEqual(await everythingOf(store, run), known.get(run.id));
}

function assertNothing(seen: unknown): void {
  const { values, approvals, events, ...rest } = seen as { [key: string]: unknown };
  assert.deepEqual(values, []);
  assert.deepEqual(approvals, { data: [], hasMore: false });
  assert.deepEqual(events, { rest: [], texts: {} });
  for (const [name, value] of Object.entries(rest)) assert.equal(value, undefined, name);
}
