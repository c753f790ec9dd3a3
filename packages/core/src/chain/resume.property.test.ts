import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "../model/model.ts";
import type { JsonObject } from "../base/json.ts";
import { messageProblems } from "../testing/chain-problems.ts";
import { newWorld, richExecutor, richModel, type World } from "../testing/rich-chain.ts";
import {
  type CommitOutcome,
  type Journal,
  type JournalWrite,
  MemoryJournal,
} from "./journal/journal.ts";
import { resumeToolChain, runToolChain } from "./run-tool-chain.ts";
import type { ToolChainResult } from "./options/tool-chain-result.ts";

const contextMessages = [{ role: "user", content: "Go." }] as const;

/** A journal that accepts a limited number of commits, as if the process were then killed. */
class CutJournal implements Journal {
  readonly kept = new MemoryJournal();
  commits = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  commit(writes: readonly JournalWrite[]): CommitOutcome {
    if (this.commits >= this.#limit) return { status: "fenced", reason: "the process was killed" };
    this.commits++;
    return this.kept.commit(JSON.parse(JSON.stringify(writes)) as JournalWrite[]);
  }
}

/** A journal that commits all writes of one event loop turn together, as a database does. */
class GatheringCutJournal extends CutJournal {
  beforeNext(commit: () => void): void {
    setImmediate(commit);
  }
}

async function cutAfter(commits: number, world: World, model: Model, Cut = CutJournal) {
  const journal = new Cut(commits);
  const result = await runToolChain({
    executor: richExecutor(world),
    model,
    contextMessages,
    runId: "run",
    journal,
  }).result;
  return { result, journal };
}

/** Resumes the chain from the journal, as in another process. */
function resumeFrom(journal: MemoryJournal, world: World, model: Model): Promise<ToolChainResult> {
  const kept = { variables: journal.variables(), grants: journal.grants() };
  return resumeToolChain(richExecutor(world, kept), journal.state(), {
    model,
    contextMessages,
    runId: "run",
    journal,
  }).result;
}

/** A chain's record without random values and durations. */
function recordOf({ status, answer, responseContent, toolChainContent, ...more }: ToolChainResult) {
  const { usage, messages, stats, state, toolCallHistory } = more;
  const calls = state.calls
    .map(({ approval, retries, parentCallId, callId, idempotencyKey, ...call }) => {
      const { id: _id, ...asked } = approval ?? { id: "" };
      const own = parentCallId === undefined ? { callId, idempotencyKey } : {};
      const value = { ...call, ...own, parentCallId, approval: asked, retries: retries?.length };
      return JSON.parse(JSON.stringify(value)) as JsonObject;
    })
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  // Ids of sub-calls are random.
  const llmUsage = toolCallHistory.flatMap((entry) =>
    /^call_\d_/.test(entry.callId) ? [[entry.callId, entry.llmUsage]] : [],
  );
  return {
    status,
    answer,
    responseContent,
    toolChainContent,
    usage,
    messages,
    stats,
    calls,
    llmUsage,
  };
}

// Contract: loop-3, loop-58, loop-74, loop-101, durability-10
test("a chain that was killed at any commit and resumed ends like a chain that was not killed", async () => {
  const model = richModel({ without: "Outer" });
  const uncut = await cutAfter(Infinity, newWorld(), model);
  assert.ok(uncut.journal.commits > 50);
  for (let commits = 1; commits < uncut.journal.commits; commits++) {
    const world = newWorld();
    const { result, journal } = await cutAfter(commits, world, model);
    assert.equal(result.error?.code, "fenced", `cut after commit ${commits}`);
    const resumed = await resumeFrom(journal.kept, world, model);
    assert.deepEqual(recordOf(resumed), recordOf(uncut.result), `cut after commit ${commits}`);
    assert.deepEqual([...world.effects.values()], [1, 1], `cut after commit ${commits}`);
  }
});

test("with a batching journal a chain makes few commits, and resumes the same way", async () => {
  const model = richModel({ without: "Outer" });
  const each = await cutAfter(Infinity, newWorld(), model);
  const uncut = await cutAfter(Infinity, newWorld(), model, GatheringCutJournal);
  assert.ok(uncut.journal.commits < each.journal.commits / 2);
  assert.deepEqual(recordOf(uncut.result), recordOf(each.result));
  for (let commits = 1; commits < uncut.journal.commits; commits++) {
    const world = newWorld();
    const { result, journal } = await cutAfter(commits, world, model, GatheringCutJournal);
    assert.equal(result.error?.code, "fenced", `cut after commit ${commits}`);
    const resumed = await resumeFrom(journal.kept, world, model);
    assert.deepEqual(recordOf(resumed), recordOf(each.result), `cut after commit ${commits}`);
    assert.deepEqual([...world.effects.values()], [1, 1], `cut after commit ${commits}`);
  }
});

// Contract: loop-58, durability-12
test("a chain that is killed repeatedly ends the same way", async () => {
  const model = richModel({ without: "Outer" });
  const uncut = await cutAfter(Infinity, newWorld(), model);
  for (const step of [7, 11, 13]) {
    const world = newWorld();
    let { journal } = await cutAfter(step, world, model);
    for (let times = 0; times < 100; times++) {
      const next = new CutJournal(step);
      for (const write of journal.kept.writes) next.kept.writes.push(write);
      journal = next;
      const variables = journal.kept.variables();
      const grants = journal.kept.grants();
      const options = { model, contextMessages, runId: "run", journal };
      const executor = richExecutor(world, { variables, grants });
      const result = await resumeToolChain(executor, journal.kept.state(), options).result;
      if (result.status !== "completed" || result.error !== undefined) continue;
      assert.deepEqual(recordOf(result), recordOf(uncut.result));
      assert.deepEqual([...world.effects.values()], [1, 1]);
      break;
    }
    assert.equal(journal.kept.writes.at(-1)?.type, "event", `cut after each ${step} commits`);
  }
});

// Contract: loop-61
test("a call that was killed during a sub-call repeats it when it resumes; messages remain in pairs", async () => {
  const uncut = await cutAfter(Infinity, newWorld(), richModel());
  for (let commits = 1; commits < uncut.journal.commits; commits++) {
    const world = newWorld();
    const { journal } = await cutAfter(commits, world, richModel());
    const resumed = await resumeFrom(journal.kept, world, richModel());
    assert.equal(resumed.status, "completed", `cut after commit ${commits}`);
    assert.equal(resumed.answer, uncut.result.answer);
    assert.deepEqual(messageProblems(resumed.messages.complete), []);
    assert.deepEqual(contents(resumed), contents(uncut.result), `cut after commit ${commits}`);
    assert.deepEqual([...world.effects.values()], [1, 1]);
  }
});

/** The messages that the model read. */
function contents({ messages }: ToolChainResult) {
  return messages.complete.map(({ content }) => content);
}
