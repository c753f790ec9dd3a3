import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "@capstan/store";
import type { NodeRecord } from "@capstan/store/testing";
import { monitorNodes } from "./monitor-nodes.ts";

const deaf = { requestStop: async () => {}, requestHeartbeat: async () => {}, subscribe: () => {} };

test("the runs of a silent node are claimed, the runs of a live node never", async () => {
  const beats = new Map([
    ["self", 1],
    ["alive", 1],
    ["dead", 1],
  ]);
  const rise = (id: string) => beats.set(id, (beats.get(id) ?? 0) + 1);
  const swept = Promise.withResolvers<void>();
  const given: string[] = [];
  const nodes: Store["nodes"] = {
    ...deaf,
    self: "self",
    heartbeat: async () => {
      rise("self");
      rise("alive");
      return true;
    },
    list: async () =>
      [...beats].map(([id, count]): NodeRecord => ({ id, url: null, beats: count })),
    declareDead: async ({ id }) => {
      given.push(id);
      return beats.delete(id);
    },
  };
  const stop = monitorNodes({
    runs: {
      store: { nodes } as unknown as Store,
      refreshAll: () => {},
      sweep: async () => {
        if (!beats.has("dead")) swept.resolve();
      },
    },
    onNodeGone: () => {},
    log: () => {},
    beatMs: 1,
    silentMs: 20,
  });
  const hold = setInterval(() => {}, 1_000);
  await swept.promise;
  clearInterval(hold);
  stop();
  assert.deepEqual(given, ["dead"]);
});

test("another node is reported once, as soon as it sends heartbeats", async () => {
  let round = 0;
  const rounds: number[] = [];
  const enough = Promise.withResolvers<void>();
  const nodes: Store["nodes"] = {
    ...deaf,
    self: "self",
    heartbeat: async () => true,
    list: async () => {
      round += 1;
      if (round === 8) enough.resolve();
      return [
        { id: "self", url: null, beats: round },
        // It crashed before this node started.
        { id: "dead", url: null, beats: 5 },
        ...(round < 4 ? [] : [{ id: "other", url: null, beats: round }]),
      ];
    },
    declareDead: async () => false,
  };
  const stop = monitorNodes({
    runs: { store: { nodes } as unknown as Store, refreshAll: () => {}, sweep: async () => {} },
    onNodeGone: () => {},
    onOtherNode: () => rounds.push(round),
    log: () => {},
    beatMs: 1,
  });
  const hold = setInterval(() => {}, 1_000);
  await enough.promise;
  clearInterval(hold);
  stop();
  assert.deepEqual(rounds, [5]);
});

test("a node keeps sending heartbeats during a long sweep, and starts no second one", async () => {
  let beats = 0;
  let sweeps = 0;
  const keptBeating = Promise.withResolvers<void>();
  const nodes: Store["nodes"] = {
    ...deaf,
    self: "self",
    heartbeat: async () => {
      beats++;
      if (sweeps > 0 && beats > 5) keptBeating.resolve();
      return true;
    },
    list: async () => [],
    declareDead: async () => false,
  };
  const sweep = Promise.withResolvers<void>();
  const stop = monitorNodes({
    runs: {
      store: { nodes } as unknown as Store,
      refreshAll: () => {},
      sweep: () => {
        sweeps++;
        return sweep.promise;
      },
    },
    onNodeGone: () => {},
    log: () => {},
    beatMs: 1,
  });
  const hold = setTimeout(
    () => keptBeating.reject(new Error(`No further heartbeat after ${beats}.`)),
    5_000,
  );
  try {
    await keptBeating.promise;
    assert.equal(sweeps, 1);
  } finally {
    clearTimeout(hold);
    stop();
    sweep.resolve();
  }
});

test("a node that was declared dead refreshes all its runs", async () => {
  const looked = Promise.withResolvers<void>();
  const lines: string[] = [];
  let beats = 0;
  const nodes: Store["nodes"] = {
    ...deaf,
    self: "self",
    heartbeat: async () => (beats += 1) !== 2,
    list: async () => [],
    declareDead: async () => false,
  };
  const stop = monitorNodes({
    runs: {
      store: { nodes } as unknown as Store,
      refreshAll: () => looked.resolve(),
      sweep: async () => {},
    },
    onNodeGone: () => {},
    log: (line) => lines.push(line),
    beatMs: 1,
  });
  const hold = setInterval(() => {}, 1_000);
  await looked.promise;
  clearInterval(hold);
  stop();
  assert.match(lines[0] ?? "", /declared this node dead/);
});

// Contract: durability-53
test("a node's death is reported, whichever node detected it first, even after a failed check", async () => {
  const rounds: (readonly string[] | "fails")[] = [
    ["self", "a", "b"],
    ["self", "a", "b"],
    ["self", "a"],
    ["self", "a", "c"],
    "fails",
    ["self", "a", "c"],
    ["self", "a", "c"],
  ];
  const goneIn: number[] = [];
  const over = Promise.withResolvers<void>();
  let round = -1;
  const nodes: Store["nodes"] = {
    ...deaf,
    self: "self",
    heartbeat: async () => true,
    list: async () => {
      round += 1;
      const present = rounds[round] ?? ["self", "a", "c"];
      if (round > rounds.length) over.resolve();
      if (present === "fails") throw new Error("The connection was lost.");
      return present.map((id): NodeRecord => ({ id, url: null, beats: round }));
    },
    declareDead: async () => false,
  };
  const stop = monitorNodes({
    runs: {
      store: { nodes } as unknown as Store,
      refreshAll: () => {},
      sweep: async () => {},
    },
    onNodeGone: () => goneIn.push(round),
    log: () => {},
    beatMs: 1,
  });
  const hold = setInterval(() => {}, 1_000);
  await over.promise;
  clearInterval(hold);
  stop();
  assert.deepEqual(goneIn, [2, 5]);
});
