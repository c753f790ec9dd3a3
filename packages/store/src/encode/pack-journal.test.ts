import assert from "node:assert/strict";
import { test } from "node:test";
import type { Journal, RunJournalWrite, StoreWrite } from "../records/store-writes.ts";
import {
  approvalRequest,
  callRecord,
  delta,
  end,
  event,
  grantOf,
  resultOf,
  start,
  variableOf,
} from "../testing/store-fixtures.ts";
import { encodeJournal } from "./encode-journal.ts";
import { encodeRequest } from "./encode-request.ts";
import { packWrite, unpackWrite } from "./pack-journal.ts";
import { postRequest } from "./post-request.ts";

const odd = 'a line\nbreak, "quotes", \u2028, \0 and \ud800';
const set = (name: string, text: string, data?: string): RunJournalWrite => ({
  type: "variable",
  change: {
    type: "set",
    variable: {
      ...variableOf(name, text),
      value: data === undefined ? { text } : { text, data: [data] },
    },
  },
});
const approval = approvalRequest("a");
const writes: readonly RunJournalWrite[] = [
  { type: "message", round: 1, message: { role: "user", content: odd } },
  start("whole"),
  delta("whole", odd),
  end("whole", odd),
  delta("loose", odd),
  end("loose", odd),
  event({ type: "approval.requested", callId: approval.callId, approval }),
  { type: "call", call: callRecord(odd, { status: "succeeded", approval: { ...approval } }) },
  set(odd, odd),
  set("long", odd.repeat(100)),
  set("large", odd.repeat(10_000)),
  set("with data", odd.repeat(10_000), odd),
  { type: "variable", change: { type: "removed", name: odd, reason: "evicted" } },
  { type: "grant", grant: grantOf("g") },
  { type: "message", round: 2, message: { role: "assistant", content: odd } },
  resultOf("completed"),
];
const journal = (given: readonly RunJournalWrite[]): Journal => ({
  type: "journal",
  runId: odd,
  epoch: 3,
  writes: given,
});

test("a journal is packed and unpacked as it was, whatever is in it", () => {
  for (const given of [[], writes.slice(0, 1), writes]) {
    const encoded = encodeJournal(journal(given));
    const posted = structuredClone(packWrite(encoded));
    assert.deepEqual(unpackWrite(posted), encoded);
  }
});

test("any other write is packed as it is", () => {
  const write: StoreWrite = { type: "claim-run", runId: odd, epoch: 1 };
  assert.deepEqual(unpackWrite(packWrite(write)), write);
});

test("a large text goes beside the others as it is", () => {
  const packed = packWrite(encodeJournal(journal(writes)));
  assert.ok(typeof packed === "object");
  assert.deepEqual(packed.slice(1), [odd.repeat(10_000), odd.repeat(10_000)]);
});

test("what is no JSON is named, with the journals that are lost by it", () => {
  const broken = { n: 1n } as unknown as string;
  const call = callRecord("c", { argumentsText: broken });
  const bad = journal([{ type: "call", call }]);
  const create = { type: "create-run", run: { request: broken } } as unknown as StoreWrite;
  for (const request of [
    encodeRequest({ at: 1, writes: [bad] }),
    postRequest({ at: 1, writes: [journal([start("t")]), create] }),
  ]) {
    assert.match(request.encodeError ?? "", /BigInt/);
    assert.equal(request.writes.length, 1);
  }
});

test("a sign of life says that it is one, as does one that is lost", () => {
  const life = event({ type: "run.heartbeat" } as never);
  assert.equal(encodeJournal(journal([life])).isHeartbeat, true);
  assert.equal(encodeJournal(journal([life, start("t")])).isHeartbeat, undefined);
});
