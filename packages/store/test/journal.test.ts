import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { RunEvent } from "@capstan/contract";
import {
  callRecord,
  commit,
  createRun,
  delta,
  end,
  event,
  owner,
  resultOf,
  start,
  type UnnumberedEvent,
  withFileStore,
} from "../src/testing/store-fixtures.ts";
import { everyStore } from "../src/testing/every-store.ts";
import type { Store } from "../src/live/store.ts";

const query = { owner, runId: "r" };

/**
 * A random sequence of a run's events: items start, grow and end in any order. Some end with
 * another text, and some never end.
 */
const script = fc.array(
  fc.record({
    commit: fc.boolean(),
    step: fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant("speak" as const),
          item: fc.nat(3),
          text: fc.string({ unit: "binary", maxLength: 5 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant("end" as const),
          item: fc.nat(3),
          changed: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("note" as const) }) },
    ),
  }),
  { maxLength: 60 },
);

type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

/** The events of a script in commits. */
function commitsOf(steps: Script): UnnumberedEvent[][] {
  const texts = new Map<string, string>();
  const names = [0, 1, 2, 3].map((n) => `i${n}`);
  const commits: UnnumberedEvent[][] = [[]];
  for (const { step, commit: closes } of steps) {
    const events = commits.at(-1) ?? [];
    if (step.do === "note") events.push({ type: "run.heartbeat", at: 1 });
    else {
      const id = names[step.item] ?? "";
      const text = texts.get(id);
      if (text === undefined && step.do === "speak")
        events.push({ type: "item.start", itemId: id, kind: "text" });
      if (step.do === "speak") {
        events.push({ type: "item.delta", itemId: id, delta: step.text });
        texts.set(id, (text ?? "") + step.text);
      } else if (text !== undefined) {
        events.push({ type: "item.end", itemId: id, text: step.changed ? `!${text}` : text });
        texts.delete(id);
        names[step.item] = `${id}'`;
      }
    }
    if (closes) commits.push([]);
  }
  return commits.filter((events) => events.length > 0);
}

async function playedBack(store: Store, limit: number): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for (;;) {
    const page = (await store.readEvents({ ...query, after: all.at(-1)?.seq ?? 0, limit })) ?? [];
    all.push(...page);
    if (page.length < limit) return all;
  }
}

/** The expected result of a compact read, computed from all events. */
function compacted(events: readonly RunEvent[]): RunEvent[] {
  const ended = new Set(events.flatMap((each) => (each.type === "item.end" ? [each.itemId] : [])));
  const open = new Map<string, { seq: number; delta: string }>();
  const kept: RunEvent[] = [];
  for (const each of events) {
    if (each.type !== "item.delta") kept.push(each);
    else if (!ended.has(each.itemId)) {
      open.set(each.itemId, {
        seq: each.seq,
        delta: (open.get(each.itemId)?.delta ?? "") + each.delta,
      });
    }
  }
  for (const [itemId, { seq, delta: text }] of open)
    kept.push({ seq, type: "item.delta", itemId, delta: text });
  return kept.toSorted((a, b) => a.seq - b.seq);
}

async function checkScript(
  store: Store,
  steps: Script,
  limit: number,
  parks: boolean,
): Promise<void> {
  await createRun(store, { id: "r" });
  const expected: RunEvent[] = [];
  for (const events of commitsOf(steps)) {
    const published = await commit(store, "r", events.map(event));
    for (const each of events) expected.push({ seq: expected.length + 1, ...each });
    assert.deepEqual(published, expected.slice(-events.length));
    assert.deepEqual(await playedBack(store, limit), expected);
  }
  assert.deepEqual(await store.readEventsCompact(query), {
    lastSeq: expected.length,
    events: compacted(expected),
  });
  // However the run stops, open items move from the tail to their final form, and nothing else
  // changes.
  await store.write([
    parks
      ? { type: "set-status", runId: "r", status: "requires_action" }
      : { type: "journal", runId: "r", epoch: 1, writes: [], status: "failed" },
  ]);
  assert.deepEqual(await playedBack(store, limit), expected);
  assert.deepEqual(await store.readEventsCompact(query), {
    lastSeq: expected.length,
    events: compacted(expected),
  });
  assert.equal((await store.getRun({ owner, id: "r" }))?.lastSeq, expected.length);
}

everyStore(
  "every event is read back as it was written, with its number, in pages of any size",
  async (withStore, kind) => {
    await fc.assert(
      fc.asyncProperty(
        script,
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (steps, limit, parks) => withStore((store) => checkScript(store, steps, limit, parks)),
      ),
      { numRuns: kind === "PostgreSQL" ? 8 : 40 },
    );
  },
);

test("the same in a file, across threads", async () => {
  const steps = fc.sample(script, { numRuns: 1, seed: 7 })[0] ?? [];
  await withFileStore((store) => checkScript(store, steps, 4, false));
});

everyStore(
  "a page in the middle of an item with thousands of deltas is exact",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await commit(store, "r", [
        start("i"),
        ...Array.from({ length: 2_000 }, (_, n) => delta("i", `${n} `)),
      ]);
      const page = await store.readEvents({ ...query, after: 900, limit: 3 });
      assert.deepEqual(page, [
        { seq: 901, type: "item.delta", itemId: "i", delta: "899 " },
        { seq: 902, type: "item.delta", itemId: "i", delta: "900 " },
        { seq: 903, type: "item.delta", itemId: "i", delta: "901 " },
      ]);
    });
  },
);

everyStore(
  "pages of a long text are exact for several readers, and for its owner only",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      const texts = Array.from({ length: 400 }, (_, n) => `${n} `.padEnd(2_000, "x"));
      const deltas = texts.map((text) => delta("i", text));
      await commit(store, "r", [start("i"), ...deltas, end("i", texts.join(""))]);
      // A stored row of 800 kB is decoded on the reader's thread.
      const readAll = async () => {
        const found: string[] = [];
        for (let after = 0; ;) {
          const page = await store.readEventPage({ ...query, after, limit: 256, size: 100_000 });
          const last = page?.events.at(-1);
          if (last === undefined) return found;
          for (const event of page?.events ?? [])
            if (event.type === "item.delta") found.push(event.delta);
          after = last.seq;
        }
      };
      const read = await Promise.all([readAll(), readAll(), readAll()]);
      assert.deepEqual(read, [texts, texts, texts]);
      const others = { ...query, owner: "somebody else", after: 0, limit: 256 };
      assert.equal(await store.readEventPage(others), undefined);
    });
  },
);

everyStore("an item can continue after its run was suspended", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    await commit(store, "r", [start("i"), delta("i", "one ")]);
    await store.write([{ type: "set-status", runId: "r", status: "requires_action" }]);
    const [claimed] = await store.write([{ type: "claim-run", runId: "r" }]);
    assert.deepEqual(claimed, {
      status: "claimed",
      epoch: 2,
      previous: "requires_action",
      lastSeq: 2,
      edits: 0,
    });
    await commit(store, "r", [delta("i", "two")], 2);
    const compact = await store.readEventsCompact(query);
    assert.deepEqual(compact?.events.at(-1), {
      seq: 3,
      type: "item.delta",
      itemId: "i",
      delta: "one two",
    });
    await commit(store, "r", [end("i", "one two")], 2);
    const events = (await store.readEvents(query)) ?? [];
    assert.deepEqual(
      events.map((each) => [each.seq, each.type]),
      [
        [1, "item.start"],
        [2, "item.delta"],
        [3, "item.delta"],
        [4, "item.end"],
      ],
    );
  });
});

everyStore(
  "messages, calls and the result are read back, and a call's row is replaced",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      const message = { role: "assistant", content: "hi \0 \ud800" } as const;
      await commit(store, "r", [
        { type: "message", round: 1, message },
        { type: "call", call: callRecord("c1") },
        { type: "call", call: callRecord("c2") },
        { type: "call", call: callRecord("c1", { status: "succeeded" }) },
        resultOf("completed"),
      ]);
      assert.deepEqual(await store.readMessages(query), [message]);
      const calls = (await store.readCalls(query)) ?? [];
      assert.deepEqual(
        calls.map(({ call }) => [call.callId, call.status]),
        [
          ["c1", "succeeded"],
          ["c2", "proposed"],
        ],
      );
      const run = await store.getRun({ owner, id: "r" });
      assert.equal(run?.status, "completed");
      assert.equal(run.result?.status, "completed");
    });
  },
);

everyStore(
  "a text that is too long for the cache is still read back delta by delta",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      const pieces = Array.from({ length: 40 }, (_, n) => `${n} `.repeat(1_000));
      await commit(store, "r", [start("long"), start("cut")]);
      for (const piece of pieces)
        await commit(store, "r", [delta("long", piece), delta("cut", piece)]);
      const before = await store.readEvents({ owner, runId: "r" });
      await commit(store, "r", [end("long", pieces.join(""))]);
      await store.write([{ type: "set-status", runId: "r", status: "requires_action" }]);
      const after = await store.readEvents({ owner, runId: "r" });
      assert.equal(before?.length, 82);
      assert.deepEqual(after?.slice(0, 82), before);
    });
  },
);

everyStore("each of several commits of a run gets its own events", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    const written = await Promise.all([
      commit(store, "r", [start("t")]),
      commit(store, "r", [delta("t", "a"), delta("t", "b")]),
      commit(store, "r", []),
      commit(store, "r", [end("t", "ab")]),
    ]);
    assert.deepEqual(
      written.map((events) => events.map(({ seq }) => seq)),
      [[1], [2, 3], [], [4]],
    );
    const events = await store.readEvents({ owner, runId: "r", after: 1 });
    assert.deepEqual(
      events?.map((each) => (each.type === "item.delta" ? each.delta : each.type)),
      ["a", "b", "item.end"],
    );
    const note = event({ type: "chain.resumed", at: 1 });
    assert.deepEqual(
      (await commit(store, "r", [note])).map(({ seq }) => seq),
      [5],
    );
  });
});

everyStore(
  "an item that starts and ends in one commit, next to one that continues",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await commit(store, "r", [start("s"), delta("s", "x"), start("t"), delta("t", "a")]);
      await commit(store, "r", [start("u"), delta("u", "1"), delta("s", "y"), end("u", "1")]);
      await commit(store, "r", [delta("s", "z"), delta("t", "b"), end("t", "ab")]);
      const events = (await store.readEvents({ owner, runId: "r" })) ?? [];
      assert.deepEqual(
        events.map((each) => (each.type === "item.delta" ? each.itemId + each.delta : each.type)),
        [
          "item.start",
          "sx",
          "item.start",
          "ta",
          "item.start",
          "u1",
          "sy",
          "item.end",
          "sz",
          "tb",
          "item.end",
        ],
      );
    });
  },
);
