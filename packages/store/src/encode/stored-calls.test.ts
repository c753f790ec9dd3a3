import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRecord } from "@capstan/core";
import fc from "fast-check";
import { encodeCalls } from "./encode-calls.ts";
import { foldCalls, patchOf, type StoredCall } from "./stored-calls.ts";
import type { CallWrite } from "../records/store-writes.ts";
import { callRecord } from "../testing/store-fixtures.ts";

const stored = (writes: readonly CallWrite[]) =>
  JSON.parse(encodeCalls(writes) ?? "[]") as readonly StoredCall[];
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What a chain may say next of one of three calls: some fields get a value, some go. */
const step = fc.record({
  callId: fc.constantFrom("a", "b", "__proto__"),
  fields: fc.dictionary(
    fc.constantFrom("status", "args", "result", "found", "toolId", "gone", "changed", "callIds"),
    fc.option(fc.jsonValue(), { nil: undefined }),
    { maxKeys: 4 },
  ),
  /** Who writes it does not know what is stored. */
  isNew: fc.boolean(),
});

test("what is folded of any commits is each call as it was said last, in the order of their first", () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 8 }), (commits) => {
      const last = new Map<string, CallRecord>();
      const rows = commits.map((steps, at) => {
        const writes = steps.map(({ callId, fields, isNew }): CallWrite => {
          const before = last.get(callId);
          const call = { ...(before ?? callRecord(callId)), ...fields, found: undefined };
          last.set(callId, call as unknown as CallRecord);
          return { type: "call", call: last.get(callId)!, ...(!isNew && before && { before }) };
        });
        return { at, calls: encodeCalls(writes) ?? "[]" };
      });
      const folded = foldCalls(rows).map(({ call }) => call);
      assert.deepEqual(folded, json([...last.values()]));
    }),
  );
});

const proposed = callRecord("c", { status: "proposed", args: { path: "x" } });
const started = { ...proposed, status: "started", startedAt: 2 } as const;
const ended = { ...started, status: "succeeded", endedAt: 3 } as const;

test("of a call that is stored only what changed is stored", () => {
  const writes = [{ type: "call", call: ended, before: started }] as const;
  assert.deepEqual(stored(writes), [{ callId: "c", changed: { status: "succeeded", endedAt: 3 } }]);
  const { startedAt: _at, ...reopened } = started;
  assert.deepEqual(patchOf(started, reopened), { callId: "c", changed: {}, gone: ["startedAt"] });
});

test("a call is stored once a commit, as it was said last", () => {
  const writes: readonly CallWrite[] = [
    { type: "call", call: proposed },
    { type: "call", call: callRecord("d") },
    { type: "call", call: started, before: proposed },
    { type: "call", call: ended, before: started },
  ];
  assert.deepEqual(stored(writes), json([ended, callRecord("d")]));
});

test("a call that is as it was takes no room, nor does what is in its quarantine", () => {
  const secret = { ...started, quarantine: { formatted: { text: "secret" } } } as never;
  assert.equal(encodeCalls([{ type: "call", call: secret, before: started }]), undefined);
  assert.equal(encodeCalls([{ type: "call", call: started, before: secret }]), undefined);
  assert.deepEqual(stored([{ type: "call", call: secret }]), json([started]));
});

test("a call's last change is when its row was written, or when a person said what became of it", () => {
  const unknown = { ...started, status: "outcome_unknown" } as const;
  const found = { ...unknown, found: { answer: "happened", by: "ann", at: 9 } } as const;
  const row = (at: number, calls: unknown) => ({ at, calls: JSON.stringify(calls) });
  const [before] = foldCalls([row(4, [unknown])]);
  const [after] = foldCalls([row(4, [unknown, patchOf(unknown, found)])]);
  assert.deepEqual([before?.updatedAt, after?.updatedAt], [4, 9]);
});

test("a change of a call that is not there is damage, and is said", () => {
  const rows = [{ at: 1, calls: JSON.stringify([patchOf(proposed, started)]) }];
  assert.throws(() => foldCalls(rows), /Of the call c only a change is stored/);
});
