import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRecord } from "@capstan/core";
import type { RunStatus } from "@capstan/contract";
import type { RunJournalWrite, StoreWrite } from "../records/store-writes.ts";
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
import { CommitEncoder, type EncodedWrite, type RunCommit } from "./run-commit.ts";

type Commit = { readonly epoch?: number; readonly status?: RunStatus };

/** Encodes a commit of the run `r`. */
function encode(
  encoder: CommitEncoder,
  writes: readonly RunJournalWrite[],
  { epoch = 3, status }: Commit = {},
): EncodedWrite | undefined {
  const journal = { type: "journal", runId: "r", epoch, writes } as const;
  const given = status === undefined ? journal : { ...journal, status };
  return encoder.encode({ at: 1, writes: [given] }).writes[0];
}

test("encodes a commit that only adds to one item as deltas", () => {
  assert.deepEqual(encode(new CommitEncoder(), [delta("i", "a"), delta("i", "")]), {
    type: "deltas",
    runId: "r",
    epoch: 3,
    itemId: "i",
    deltas: ["a", ""],
  });
});

test("does not encode a commit with any other write as deltas", () => {
  const others: readonly (readonly RunJournalWrite[])[] = [
    [],
    [start("i"), delta("i", "a")],
    [delta("i", "a"), end("i", "a")],
    [delta("i", "a"), delta("other", "b")],
    [delta("i", "a"), { type: "message", round: 1, message: { role: "user", content: "" } }],
  ];
  const encoder = new CommitEncoder();
  for (const writes of others) assert.equal(encode(encoder, writes)?.type, "commit");
  assert.equal(encode(encoder, [delta("i", "a")], { status: "completed" })?.type, "commit");
});

const odd = 'a line\nbreak, "quotes", \u2028, \0 and \ud800';

test("posts a commit unchanged, whatever it contains", () => {
  const approval = approvalRequest("a");
  const encoded = encode(new CommitEncoder(), [
    { type: "message", round: 1, message: { role: "user", content: odd } },
    start("whole"),
    delta("whole", odd),
    end("whole", odd),
    end("loose", odd),
    event({ type: "approval.requested", callId: approval.callId, approval }),
    { type: "call", call: callRecord(odd, { status: "succeeded", approval: { ...approval } }) },
    { type: "variable", change: { type: "set", variable: variableOf("long", odd.repeat(100)) } },
    { type: "variable", change: { type: "set", variable: variableOf("large", odd.repeat(9_000)) } },
    { type: "grant", grant: grantOf("g") },
    resultOf("completed"),
  ]);
  assert.deepEqual(structuredClone(encoded), encoded);
});

const proposed = callRecord("c", { status: "proposed", args: { path: "x" } });
const started = { ...proposed, status: "started", startedAt: 2 } as const;
const ended = { ...started, status: "succeeded", endedAt: 3 } as const;
const write = (call: CallRecord): RunJournalWrite => ({ type: "call", call });
const whole = (call: CallRecord) => JSON.stringify([call]);
const callsOf = (encoded: EncodedWrite | undefined) => (encoded as RunCommit).calls;

test("stores only the changes of an open call, and each call once per commit", () => {
  const encoder = new CommitEncoder();
  assert.equal(callsOf(encode(encoder, [write(proposed), write(started)])), whole(started));
  const patch = [{ callId: "c", changed: { status: "succeeded", endedAt: 3 } }];
  assert.equal(callsOf(encode(encoder, [write(ended)])), JSON.stringify(patch));
  assert.equal(callsOf(encode(encoder, [write(ended)])), whole(ended), "it is not cached any more");
});

test("stores a whole call if its stored record is not cached", () => {
  const encoder = new CommitEncoder();
  encode(encoder, [write(started)]);
  assert.equal(callsOf(encode(encoder, [write(ended)], { epoch: 4 })), whole(ended), "in an epoch");
  for (const lose of [
    () => encoder.forget("r"),
    () => encode(encoder, [], { status: "requires_action" }),
    () => encoder.encode({ at: 1, writes: [{ type: "set-status", runId: "r", status: "queued" }] }),
  ]) {
    encode(encoder, [write(started)]);
    lose();
    assert.equal(callsOf(encode(encoder, [write(ended)])), whole(ended));
  }
});

test("an error names the value that is not JSON and the commits that fail because of it", () => {
  const broken = { n: 1n } as unknown as string;
  const bad = [write(callRecord("c", { argumentsText: broken }))];
  const journal: StoreWrite = { type: "journal", runId: "r", epoch: 3, writes: bad };
  const request = new CommitEncoder().encode({ at: 1, writes: [journal] });
  assert.match(request.encodeError ?? "", /BigInt/);
  assert.deepEqual(
    request.writes.map(({ type }) => type),
    ["commit"],
  );
});

test("a heartbeat is marked as one, even if it cannot be encoded", () => {
  const heartbeat = event({ type: "run.heartbeat", at: 1 });
  const encoder = new CommitEncoder();
  const isHeartbeat = (encoded: EncodedWrite | undefined) => (encoded as RunCommit).isHeartbeat;
  assert.equal(isHeartbeat(encode(encoder, [heartbeat])), true);
  assert.equal(isHeartbeat(encode(encoder, [heartbeat, start("t")])), undefined);
});
