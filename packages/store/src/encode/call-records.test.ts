import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRecord } from "@capstan/core";
import fc from "fast-check";
import { encodeCalls, foldCalls, patchOf, type StoredCall } from "./call-records.ts";
import { callRecord } from "../testing/store-fixtures.ts";

const byId = (calls: readonly CallRecord[]) => new Map(calls.map((call) => [call.callId, call]));
const stored = (calls: readonly CallRecord[], open: readonly CallRecord[] = []) =>
  JSON.parse(encodeCalls(byId(calls), byId(open)) ?? "[]") as readonly StoredCall[];
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The next record of one of three calls: sets some fields and removes others. */
const step = fc.record({
  callId: fc.constantFrom("a", "b", "__proto__"),
  fields: fc.dictionary(
    fc.constantFrom("status", "args", "result", "found", "toolId", "gone", "changed", "callIds"),
    fc.option(fc.jsonValue(), { nil: undefined }),
    { maxKeys: 4 },
  ),
  /** The writer of a patch does not have the stored record. */
  isNew: fc.boolean(),
});

test("calls that are folded from any commits equal their last records, in the order of their first records", () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 8 }), (commits) => {
      const last = new Map<string, CallRecord>();
      const rows = commits.map((steps, at) => {
        const open = new Map(last);
        const changed = new Map<string, CallRecord>();
        for (const { callId, fields, isNew } of steps) {
          const call = { ...(last.get(callId) ?? callRecord(callId)), ...fields, found: undefined };
          last.set(callId, call as unknown as CallRecord);
          changed.set(callId, call as unknown as CallRecord);
          if (isNew) open.delete(callId);
        }
        return { at, calls: encodeCalls(changed, open) ?? "[]" };
      });
      const folded = foldCalls(rows).map(({ call }) => call);
      assert.deepEqual(folded, json([...last.values()]));
    }),
  );
});

const proposed = callRecord("c", { status: "proposed", args: { path: "x" } });
const started = { ...proposed, status: "started", startedAt: 2 } as const;
const ended = { ...started, status: "succeeded", endedAt: 3 } as const;

test("stores only the changed fields of a stored call", () => {
  assert.deepEqual(stored([ended], [started]), [
    { callId: "c", changed: { status: "succeeded", endedAt: 3 } },
  ]);
  const { startedAt: _at, ...reopened } = started;
  assert.deepEqual(patchOf(started, reopened), { callId: "c", changed: {}, gone: ["startedAt"] });
});

test("stores neither unchanged calls nor results in quarantine", () => {
  const secret = { ...started, quarantine: { formatted: { text: "secret" } } } as never;
  assert.equal(encodeCalls(byId([secret]), byId([started])), undefined);
  assert.equal(encodeCalls(byId([started]), byId([secret])), undefined);
  assert.deepEqual(stored([secret]), json([started]));
});

test("a call's last change is the time of its row or of a user's report on its outcome", () => {
  const unknown = { ...started, status: "outcome_unknown" } as const;
  const found = { ...unknown, found: { answer: "happened", by: "ann", at: 9 } } as const;
  const row = (at: number, calls: unknown) => ({ at, calls: JSON.stringify(calls) });
  const [before] = foldCalls([row(4, [unknown])]);
  const [after] = foldCalls([row(4, [unknown, patchOf(unknown, found)])]);
  assert.deepEqual([before?.updatedAt, after?.updatedAt], [4, 9]);
});

test("a change of a call that has no stored record is reported as damage", () => {
  const rows = [{ at: 1, calls: JSON.stringify([patchOf(proposed, started)]) }];
  assert.throws(() => foldCalls(rows), /Only a change of the call c is stored/);
});
