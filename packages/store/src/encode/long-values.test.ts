import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { VariableChange } from "@capstan/core";
import { owner, variableOf } from "../testing/store-fixtures.ts";
import type { StoreWrite } from "../records/store-writes.ts";
import { encodeLongValues } from "./long-values.ts";

const set = (name: string, text: string, data?: readonly string[]): VariableChange => {
  const value = { text, ...(data && { data }) };
  return { type: "set", variable: { ...variableOf(name, text), value } };
};

const edit = (...changes: VariableChange[]): StoreWrite => ({
  type: "edit-variables",
  owner,
  runId: "r",
  changes,
});

const journal = (...changes: VariableChange[]): StoreWrite => ({
  type: "journal",
  runId: "r",
  epoch: 1,
  writes: changes.map((change) => ({ type: "variable", change })),
});

test("encodes a long value in slices to the same JSON, digest and size", async () => {
  const changes = [
    set("plain", "line\n".repeat(100_000)),
    // Pairs that end at odd offsets, a lone surrogate and control characters.
    set("pairs", `x${"🙂\0".repeat(100_000)}\ud800`),
    set(
      "data",
      "y".repeat(300_000),
      Array.from({ length: 50_000 }, (_, n) => `é${n}`),
    ),
  ];
  for (const writes of [edit, journal]) {
    const long = await encodeLongValues([{ writes: [writes(...changes)] }]);
    assert.equal(long?.size, changes.length);
    for (const change of changes) {
      assert.ok(change.type === "set");
      const json = JSON.stringify(change.variable.value);
      const digest = createHash("sha256").update(json).digest("hex");
      const encoded = { json, digest, bytes: Buffer.byteLength(json) };
      assert.deepEqual(long?.get(change.variable.value), encoded);
    }
  }
});

test("leaves short values and removals to the encoder of the commit", () => {
  const removed = { type: "removed", name: "a", reason: "removed" } as const;
  const writes = [edit(set("a", "short"), removed), journal(set("b", "x".repeat(10_000)))];
  assert.equal(encodeLongValues([{ writes }]), undefined);
});

test("other work runs while a long value is encoded", async () => {
  let turns = 0;
  const count = setInterval(() => (turns += 1), 0);
  await encodeLongValues([{ writes: [edit(set("a", "é".repeat(8_000_000)))] }]);
  clearInterval(count);
  assert.ok(turns > 1, `${turns} turns`);
});
