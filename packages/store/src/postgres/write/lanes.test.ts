import assert from "node:assert/strict";
import { test } from "node:test";
import type { EncodedRequest, EncodedWrite, JournalAct } from "../../encode/run-commit.ts";
import { newRun, owner } from "../../testing/store-fixtures.ts";
import { stagesOf } from "./lanes.ts";

const claim = (runId: string): EncodedWrite => ({ type: "claim-run", runId });
const create = (
  id: string,
  more: { parentId?: string; sessionId?: string } = {},
): EncodedWrite => ({
  type: "create-run",
  run: newRun({ id, ...more }),
});
const forget: EncodedWrite = {
  type: "forget-lineage",
  owner,
  start: { type: "conversation", id: "c" },
  before: 1,
};

/** The indexes of the calls, by stage and lane. */
function placesOf(...calls: (readonly EncodedWrite[])[]) {
  const requests = calls.map((writes): EncodedRequest => ({ at: 1, writes }));
  return stagesOf(requests).map((lanes) => lanes.map((lane) => lane.map(({ at }) => at)));
}

test("calls of a run share a lane and keep their order; calls of other runs are in other lanes", () => {
  const places = placesOf([claim("a")], [claim("b")], [claim("a")], [claim("b"), claim("b")]);
  assert.deepEqual(places, [
    [
      [0, 2],
      [1, 3],
    ],
  ]);
});

test("a call that names the runs of two lanes joins them, with the calls in between", () => {
  const places = placesOf(
    [claim("a")],
    [claim("b")],
    [claim("other")],
    [create("c", { parentId: "a" }), claim("b")],
    [claim("c")],
  );
  assert.deepEqual(places, [[[2], [0, 1, 3, 4]]]);
});

test("new runs of one session are in one lane, because the first run's owner becomes the session's", () => {
  const places = placesOf(
    [create("a")],
    [create("b", { sessionId: "a" })],
    [create("c", { sessionId: "s" })],
    [create("d", { sessionId: "s" })],
  );
  assert.deepEqual(places, [
    [
      [0, 1],
      [2, 3],
    ],
  ]);
});

test("a call that affects more than the runs that it names has a separate stage", () => {
  const question: EncodedWrite = {
    type: "answer-approval",
    owner,
    id: "q",
    answer: { decision: "allow" },
  };
  const places = placesOf([claim("a")], [claim("b"), forget], [claim("b")], [question]);
  assert.deepEqual(places, [[[0]], [[1]], [[2]], [[3]]]);
  assert.deepEqual(placesOf([claim("a")], [{ ...question, runId: "b" }]), [[[0], [1]]]);
  assert.deepEqual(placesOf(), []);
});

test("calls that answer or change the same approval share a lane, for any runs", () => {
  const commit = (runId: string, act: JournalAct): EncodedWrite => ({
    type: "commit",
    runId,
    epoch: 1,
    events: { count: 0, deltas: 0, rows: [], loose: [] },
    variables: [],
    grants: [],
    acts: [act],
  });
  const asked = {
    kind: "execution",
    callId: "c",
    createdAt: 1,
    expiresAt: 2,
    request: "{}",
  } as const;
  const [places] = placesOf(
    [commit("a", { type: "asked", id: "q", ...asked })],
    [commit("b", { type: "settled", approval: "q" })],
    [commit("c", { type: "settled", approval: "another" })],
    [{ type: "answer-approval", owner, runId: "d", id: "q", answer: { decision: "allow" } }],
  );
  assert.deepEqual(places, [[2], [0, 1, 3]]);
});
