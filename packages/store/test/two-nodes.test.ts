import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import type { RunEvent } from "@capstan/contract";
import { followEvents } from "../src/live/follow-events.ts";
import { withTwoNodes } from "../src/testing/every-store.ts";
import { findPostgres } from "../src/testing/postgres-server.ts";
import {
  approvalRequest,
  commit,
  createRun,
  delta,
  end,
  event,
  newRun,
  owner,
  resultOf,
  start,
  variableOf,
} from "../src/testing/store-fixtures.ts";

const postgres = findPostgres();

const options = { skip: postgres.status === "missing" && postgres.reason };

const query = { owner, runId: "r" };

const note = event({ type: "run.heartbeat", at: 1 });

// Contract: durability-38
test(
  "a node that lost a run is fenced, and the new owner's events continue the numbers without a gap",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      await createRun(one, { id: "r" });
      await commit(one, "r", [start("i"), delta("i", "a"), delta("i", "b")]);
      const [claimed] = await other.write([{ type: "claim-run", runId: "r", epoch: 1 }]);
      assert.deepEqual(claimed, {
        status: "claimed",
        epoch: 2,
        previous: "in_progress",
        lastSeq: 3,
        edits: 0,
      });
      const [late] = await one.write([
        { type: "journal", runId: "r", epoch: 1, writes: [delta("i", "lost")] },
      ]);
      assert.ok(late.status === "fenced" && /its epoch is 2/.test(late.reason));
      await commit(other, "r", [end("i", "ab"), note], 2);
      const [twice] = await one.write([{ type: "claim-run", runId: "r", epoch: 1 }]);
      assert.equal(twice.status, "refused");
      const events = await one.readEvents(query);
      assert.deepEqual(
        events?.map(({ seq, type }) => [seq, type]),
        [
          [1, "item.start"],
          [2, "item.delta"],
          [3, "item.delta"],
          [4, "item.end"],
          [5, "run.heartbeat"],
        ],
      );
    });
  },
);

test(
  "the events of a waiting run have no gap if several nodes write that it waits",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      await createRun(one, { id: "r" });
      await commit(one, "r", [note, resultOf("requires_action")]);
      await commit(other, "r", [note]);
      const [claimed] = await one.write([{ type: "claim-run", runId: "r", epoch: 1 }]);
      assert.ok(claimed.status === "claimed");
      assert.equal(claimed.lastSeq, 2);
      const events = await commit(one, "r", [start("i"), delta("i", "a"), note], 2);
      assert.deepEqual(
        events.map(({ seq }) => seq),
        [3, 4, 5],
      );
    });
  },
);

// Contract: durability-41
test("if two nodes claim a run at the same time, only one gets it", options, async () => {
  await withTwoNodes(async (one, other) => {
    for (let round = 0; round < 10; round++) {
      const id = `r${round}`;
      await createRun(one, { id, status: "queued" });
      const claim = { type: "claim-run", runId: id, epoch: 0 } as const;
      const outcomes = (await Promise.all([one.write([claim]), other.write([claim])])).flat();
      assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ["claimed", "refused"]);
    }
  });
});

// Contract: durability-43
test(
  "the first answer wins across nodes, and the second node gets the first answer",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      await createRun(one, { id: "r" });
      for (let round = 0; round < 10; round++) {
        const approval = approvalRequest(`a${round}`, Date.now() + 60_000);
        await commit(one, "r", [
          event({ type: "approval.requested", callId: approval.callId, approval }),
        ]);
        const answer = (decision: "allow" | "refuse") =>
          ({ type: "answer-approval", owner, id: approval.id, answer: { decision } }) as const;
        const [[first], [second]] = await Promise.all([
          one.write([answer("allow")]),
          other.write([answer("refuse")]),
        ]);
        assert.deepEqual([first.status, second.status].toSorted(), [
          "already_answered",
          "answered",
        ]);
        assert.ok("approval" in first && "approval" in second);
        assert.deepEqual(first.approval, second.approval);
      }
    });
  },
);

test("if several nodes move a head, it moves only once", options, async () => {
  await withTwoNodes(async (one, other) => {
    const conversation = { title: "", metadata: {}, switches: { groups: {}, tools: {} } };
    await one.write([{ type: "create-conversation", id: "c", owner, ...conversation }]);
    await createRun(one, { id: "x", conversationId: "c" });
    await createRun(other, { id: "y", conversationId: "c" });
    const move = (to: string) => ({ type: "move-head", owner, id: "c", from: null, to }) as const;
    const outcomes = (await Promise.all([one.write([move("x")]), other.write([move("y")])])).flat();
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ["conflict", "moved"]);
  });
});

test(
  "another node's events are followed as they are committed, from any number to the end",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      await createRun(one, { id: "r" });
      await commit(one, "r", [start("i"), delta("i", "0 ")]);
      const seen: RunEvent[] = [];
      const reading = (async () => {
        for await (const each of followEvents({ store: other, ...query, after: 1 }))
          seen.push(each);
      })();
      let text = "0 ";
      for (let n = 1; n < 50; n++) {
        await commit(one, "r", [delta("i", `${n} `)]);
        text += `${n} `;
        if (n % 10 === 0) await tick();
      }
      await commit(one, "r", [end("i", text), resultOf("completed")]);
      await reading;
      assert.deepEqual(
        seen.map(({ seq }) => seq),
        Array.from({ length: 51 }, (_, index) => index + 2),
      );
      assert.equal(
        seen.map((each) => (each.type === "item.delta" ? each.delta : "")).join(""),
        text,
      );
    });
  },
);

test("a run that another node ended has ended on every node", options, async () => {
  await withTwoNodes(async (one, other) => {
    await createRun(one, { id: "r" });
    await commit(one, "r", [note]);
    await other.write([{ type: "claim-run", runId: "r" }]);
    await commit(other, "r", [resultOf("aborted")], 2);
    const [late] = await one.write([{ type: "journal", runId: "r", epoch: 1, writes: [note] }]);
    assert.ok(late.status === "fenced" && /cancelled/.test(late.reason));
    assert.equal((await one.getRun({ owner, id: "r" }))?.status, "cancelled");
  });
});

test("a user's change on another node is part of the run's variables", options, async () => {
  await withTwoNodes(async (one, other) => {
    await createRun(one, { id: "r" });
    const set = (name: string, text: string) =>
      ({ type: "set", variable: variableOf(name, text) }) as const;
    await commit(one, "r", [{ type: "variable", change: set("mine", "1") }]);
    await other.write([
      { type: "edit-variables", owner, runId: "r", changes: [set("theirs", "2")] },
    ]);
    await commit(one, "r", [{ type: "variable", change: set("more", "3") }, resultOf("completed")]);
    const manifest = await other.readManifest(query);
    assert.deepEqual(Object.keys(manifest ?? {}), ["mine", "theirs", "more"]);
  });
});

// Contract: durability-42
test("many nodes on many runs write each number of each run once", options, async () => {
  await withTwoNodes(async (one, other) => {
    const ids = Array.from({ length: 6 }, (_, n) => `r${n}`);
    for (const id of ids) await createRun(one, { id, status: "queued" });
    /** Claims a run, writes to it until it is fenced, and then claims another run. */
    const wander = async (store: typeof one, seed: number) => {
      for (let step = 0; step < 12; step++) {
        const runId = ids[(seed * 7 + step * 5) % ids.length] ?? "";
        const [claimed] = await store.write([{ type: "claim-run", runId }]);
        if (claimed.status !== "claimed") continue;
        for (let n = 0; n < 4; n++) {
          const { epoch } = claimed;
          const item = `${seed}_${step}`;
          const writes = n === 0 ? [start(item), delta(item, "a")] : [delta(item, "b"), note];
          const [written] = await store.write([{ type: "journal", runId, epoch, writes }]);
          if (written.status !== "committed") break;
        }
      }
    };
    await Promise.all([wander(one, 1), wander(other, 2), wander(one, 3), wander(other, 4)]);
    for (const runId of ids) {
      const events = (await one.readEvents({ owner, runId, limit: 1_000 })) ?? [];
      assert.ok(events.length > 0);
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, index) => index + 1),
      );
    }
  });
});

test(
  "of two runs on two nodes that take over one waiting turn at the same time, one is created",
  options,
  async () => {
    await withTwoNodes(async (...nodes) => {
      for (let turn = 0; turn < 20; turn++) {
        const parentId = `parent_${turn}`;
        await createRun(nodes[0], { id: parentId });
        await commit(nodes[0], parentId, [resultOf("completed")]);
        const outcomes = await Promise.all(
          nodes.map((node, index) => {
            const run = newRun({ id: `${parentId}_${index}`, parentId, takesOver: true });
            return node.write([{ type: "create-run", run }]);
          }),
        );
        assert.deepEqual(
          outcomes
            .flat()
            .map(({ status }) => status)
            .toSorted(),
          ["created", "refused"],
        );
      }
    });
  },
);
