import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalDecision } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { findPostgres, grantOf, owner, withTwoNodes, intact } from "@capstan/store/testing";
import type { Store } from "@capstan/store";
import type { RunService } from "../run-service.ts";
import { asking, begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };
const call = (name: string) => ({ calls: [{ name }] });
const always: ApprovalDecision = { decision: "allow", scope: "always" };

/** A run that executes here while another node makes a change, and then calls `Ask`. */
async function holding(store: Store) {
  const began = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const hold = tool("Hold", () => {
    began.resolve();
    return released.promise;
  });
  const reads = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  // After a change notice of another node, all grants are read again.
  const watched: Store = {
    ...store,
    listGrants: async (query) => {
      const page = await store.listGrants(query);
      if (query.sessionId === undefined) setImmediate(reads[0].resolve);
      return page;
    },
    listOverrides: async (query) => {
      const rules = await store.listOverrides(query);
      if (rules.length > 0) setImmediate(reads[1].resolve);
      return rules;
    },
  };
  const runs = createRuns({
    store: watched,
    model: new ScriptedModel([call("Hold"), call("Ask"), "done"]),
    tools: [hold, asking("Ask", () => "asked")],
  });
  const { id } = await begin(runs, requestOf("go"));
  await began.promise;
  const [grants, rules] = reads.map(({ promise }) => promise);
  return { id, runs, release: released.resolve, grants, rules };
}

/** A user allows `Ask` permanently, in a run of this node. */
async function allowAlways(store: Store): Promise<{ runs: RunService; grantId: string }> {
  const model = new ScriptedModel([call("Ask"), "done"]);
  const runs = createRuns({ store, model, tools: [asking("Ask", () => "asked")] });
  const { id } = await begin(runs, requestOf("go"));
  await runIn(store, id, "requires_action");
  const { data } = intact(await store.listApprovals({ owner, runId: id }));
  await runs.answer(owner, data[0]!.id, always);
  await runIn(store, id, "completed");
  const grants = intact(await store.listGrants({ owner }));
  return { runs, grantId: grants.data[0]!.grant.id };
}

// Contract: durability-45
test("a permanent grant at another node covers a run in progress here", options, async () => {
  await withTwoNodes(async (one, other) => {
    const held = await holding(one);
    await allowAlways(other);
    await held.grants;
    held.release();
    await runIn(one, held.id, "completed");
    assert.equal((await one.listApprovals({ owner, runId: held.id })).data.length, 0);
  });
});

// Contract: durability-45
test(
  "a grant that is revoked at another node no longer covers a run in progress here",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      const { grantId } = await allowAlways(other);
      const held = await holding(one);
      await other.write([{ type: "revoke-grant", owner, id: grantId }]);
      await held.grants;
      held.release();
      await runIn(one, held.id, "requires_action");
    });
  },
);

// Contract: durability-45
test(
  "a rule that a user sets at another node applies to a run in progress here",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      const held = await holding(one);
      const elsewhere = createRuns({ store: other, model: new ScriptedModel([]) });
      await elsewhere.overrides.write({
        type: "change-override",
        owner,
        tool: "g.Ask",
        change: { execution: "deny" },
      });
      await held.rules;
      held.release();
      await runIn(one, held.id, "completed");
      const calls = (await one.readCalls({ owner, runId: held.id })) ?? [];
      assert.deepEqual(
        calls.map(({ call: { name, status } }) => `${name} ${status}`),
        ["Hold succeeded", "Ask execution_rejected"],
      );
    });
  },
);

/** Delays the results of reads until `release`. They have the values from before it. */
function heldBack() {
  const read = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const answer = async <T>(reading: Promise<T>): Promise<T> => {
    const found = await reading;
    read.resolve();
    await released.promise;
    return found;
  };
  return { answer, read: read.promise, release: released.resolve };
}

test(
  "a grant that is revoked here while another node's change is read stays revoked",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      const { grantId } = await allowAlways(other);
      const { answer, read, release } = heldBack();
      const listGrants: Store["listGrants"] = (query) => answer(one.listGrants(query));
      const held = await holding({ ...one, listGrants });
      const grant = grantOf("another");
      await other.write([{ type: "create-grant", owner, sessionId: null, grant }]);
      await read;
      await held.runs.revokeGrant(owner, grantId);
      release();
      await held.grants;
      held.release();
      await runIn(one, held.id, "requires_action");
    });
  },
);

test(
  "a grant that is revoked at another node while a run starts here does not cover it",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      const { grantId } = await allowAlways(other);
      const { answer, read, release } = heldBack();
      const heard = Promise.withResolvers<void>();
      let reads = 0;
      const beginning = holding({
        ...one,
        readGrants: (query) => answer(one.readGrants(query)),
        // Read at the start of the run, and after a change notice.
        listOverrides: async (query) => {
          const rules = await one.listOverrides(query);
          if ((reads += 1) === 2) setImmediate(heard.resolve);
          return rules;
        },
      });
      await read;
      await other.write([{ type: "revoke-grant", owner, id: grantId }]);
      await heard.promise;
      release();
      const held = await beginning;
      await held.grants;
      held.release();
      await runIn(one, held.id, "requires_action");
    });
  },
);

test(
  "a grant given here applies even if another node's change was read before it was stored",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      const read = Promise.withResolvers<void>();
      const watched: Store = {
        ...one,
        listGrants: async (query) => {
          const page = await one.listGrants(query);
          setImmediate(read.resolve);
          return page;
        },
        write: async (writes) => {
          const gives = writes.some(
            (write) =>
              write.type === "journal" && write.writes.some(({ type }) => type === "grant"),
          );
          if (gives) {
            const grant = grantOf("another");
            await other.write([{ type: "create-grant", owner, sessionId: null, grant }]);
            await read.promise;
          }
          return one.write(writes);
        },
      };
      const model = new ScriptedModel([call("Ask"), call("Ask"), "done"]);
      const runs = createRuns({
        store: watched,
        model,
        tools: [asking("Ask", () => "asked")],
      });
      const { id } = await begin(runs, requestOf("go"));
      await runIn(one, id, "requires_action");
      const { data } = await one.listApprovals({ owner, runId: id });
      await runs.answer(owner, data[0]!.id, always);
      await runIn(one, id, "completed");
    });
  },
);
