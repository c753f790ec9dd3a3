import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { owner, withMemoryStore, intact } from "@capstan/store/testing";
import { asking, begin, createRuns, requestOf, runIn } from "../testing/run-fixtures.ts";

const ask = (n: number) => ({ calls: [{ name: "Ask", args: { n } }] });

test("an answer for the session resumes the session's other runs that it covers", async () => {
  await withMemoryStore(async (store) => {
    const made: string[] = [];
    const model = new ScriptedModel(["hello", ask(1), ask(2), "done", "done"]);
    const tools = [asking("Ask", () => made.push("made"))];
    const runs = createRuns({ store, model, tools });
    const root = await begin(runs, requestOf("hi"));
    await runIn(store, root.id, "completed");
    const forks = [];
    for (const text of ["one", "two"]) {
      const fork = await begin(runs, requestOf(text, { parentId: root.id }));
      await runIn(store, fork.id, "requires_action");
      forks.push(fork);
    }
    const other = await begin(
      createRuns({ store, model: new ScriptedModel([ask(3)]), tools }),
      requestOf("elsewhere"),
    );
    await runIn(store, other.id, "requires_action");
    const { data } = intact(await store.listApprovals({ owner, runId: forks[0]!.id }));
    await runs.answer(owner, data[0]!.id, { decision: "allow", scope: "session" });
    for (const { id } of forks) await runIn(store, id, "completed");
    assert.equal(made.length, 2);

    const released = intact(await store.listApprovals({ owner, runId: forks[1]!.id }));
    assert.equal(released.data[0]?.status, "allowed");
    const events = await store.readEvents({ owner, runId: forks[1]!.id });
    const answered = events?.find(({ type }) => type === "approval.answered");
    assert.deepEqual(answered?.type === "approval.answered" && answered.decision, {
      verdict: "allowed",
      by: "grant",
      reason: "every call of Ask",
    });
    const waits = intact(await store.listApprovals({ owner, runId: other.id }));
    assert.equal(waits.data[0]?.status, "pending");
  });
});
