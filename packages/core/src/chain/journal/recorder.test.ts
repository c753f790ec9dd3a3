import assert from "node:assert/strict";
import { test } from "node:test";

import { VariableSystem } from "../../variables/variable-system.ts";
import type { CommitOutcome, Journal, JournalWrite } from "./journal.ts";
import { Recorder, type LossReason } from "./recorder.ts";

const committed: CommitOutcome = { status: "committed" };

/** A journal that takes the batch when the test tells it to. */
function batchingJournal(outcome: () => CommitOutcome | Promise<CommitOutcome> = () => committed) {
  const commits: JournalWrite[][] = [];
  let waiting: (() => void)[] = [];
  const journal: Journal = {
    commit: (writes) => {
      commits.push([...writes]);
      return outcome();
    },
    beforeNext: (commit) => waiting.push(commit),
  };
  const takeNext = () => {
    const called = waiting;
    waiting = [];
    for (const commit of called) commit();
  };
  return { journal, commits, takeNext };
}

function recording(journal: Journal) {
  const published: string[] = [];
  const lost: LossReason[] = [];
  const variables = new VariableSystem();
  const recorder = new Recorder({
    journal,
    variables,
    publish: (event) => published.push(event.type),
    hasListeners: () => true,
    onLost: (reason) => lost.push(reason),
  });
  return { recorder, variables, published, lost };
}

const resumed = { type: "chain.resumed", at: 1 } as const;
const restarted = { type: "model.restarted", reason: "again" } as const;
test("writes before the journal's next commit are one commit, in order, and published after it", async () => {
  const { journal, commits, takeNext } = batchingJournal();
  const { recorder, variables, published } = recording(journal);
  recorder.appendEvent(resumed);
  const first = recorder.committed();
  variables.addVariable("notes", "milk", "USER_ADD");
  recorder.appendEvent(restarted);
  const second = recorder.committed();
  assert.deepEqual([commits, published], [[], []]);
  takeNext();
  recorder.appendEvent(resumed);
  const third = recorder.committed();
  assert.equal(commits.length, 1, "a batch that the journal has taken gets no more writes");
  assert.deepEqual(await Promise.all([first, second]), [true, true]);
  assert.deepEqual(
    commits[0]?.map((write) => (write.type === "event" ? write.event.type : write.type)),
    ["chain.resumed", "variable", "model.restarted"],
  );
  assert.deepEqual(published, ["chain.resumed", "model.restarted"]);
  takeNext();
  assert.equal(await third, true);
  assert.equal(commits.length, 2);
});

test("a journal whose beforeNext calls back immediately gets each write", async () => {
  const commits: (readonly JournalWrite[])[] = [];
  const { recorder } = recording({
    commit: (writes) => (commits.push(writes), committed),
    beforeNext: (commit) => commit(),
  });
  recorder.appendEvent(resumed);
  recorder.appendEvent(restarted);
  assert.equal(recorder.committed(), true);
  assert.deepEqual(
    commits.map((writes) => writes.length),
    [1, 1],
  );
});

test("a detached recorder commits its batch, and nothing after it", async () => {
  const { journal, commits, takeNext } = batchingJournal();
  const { recorder } = recording(journal);
  recorder.appendEvent(resumed);
  const committed = recorder.committed();
  recorder.detach();
  assert.equal(await committed, true);
  recorder.appendEvent(restarted);
  assert.equal(recorder.committed(), false);
  takeNext();
  assert.deepEqual(commits, [[{ type: "event", event: resumed }]]);
});

test("a lost journal gets no more writes, and waiting callers get false", async () => {
  const outcomes = [Promise.withResolvers<CommitOutcome>()];
  const { journal, commits, takeNext } = batchingJournal(() => outcomes[0]!.promise);
  const { recorder, published, lost } = recording(journal);
  recorder.appendEvent(resumed);
  takeNext();
  const first = recorder.committed();
  recorder.appendEvent(restarted);
  const second = recorder.committed();
  outcomes[0]?.resolve({ status: "fenced", reason: "another node" });
  assert.deepEqual(await Promise.all([first, second]), [false, false]);
  takeNext();
  assert.equal(commits.length, 1);
  assert.deepEqual([published, lost], [[], [{ code: "fenced", message: "another node" }]]);
});

test("a journal whose beforeNext throws is lost, with a message", () => {
  const { recorder, lost } = recording({
    commit: () => committed,
    beforeNext: () => {
      throw new Error("no queue");
    },
  });
  recorder.appendEvent(resumed);
  assert.equal(recorder.committed(), false);
  assert.deepEqual(lost, [{ code: "journal_failed", message: "no queue" }]);
});

test("a chain with many writes in flight waits for them", async () => {
  const { journal, takeNext } = batchingJournal();
  const { recorder } = recording(journal);
  let waits: Promise<unknown> | undefined;
  let written = 0;
  for (; written < 10_000 && waits === undefined; written++) {
    recorder.appendEvent(resumed);
    waits = recorder.drained();
  }
  assert.ok(written > 10 && written < 10_000);
  takeNext();
  await waits;
  assert.equal(recorder.drained(), undefined);
});
