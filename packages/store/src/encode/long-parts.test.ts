import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { VariableChange } from "@capstan/core";
import { callRecord, end, owner, resultOf, start, variableOf } from "../testing/store-fixtures.ts";
import type { StoreWrite } from "../records/store-writes.ts";
import { encodeLongParts, toJsonWith } from "./long-parts.ts";
import { CommitEncoder } from "./run-commit.ts";

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
    const long = await encodeLongParts([{ writes: [writes(...changes)] }]);
    assert.equal(long?.values.size, changes.length);
    for (const change of changes) {
      assert.ok(change.type === "set");
      const json = JSON.stringify(change.variable.value);
      const digest = createHash("sha256").update(json).digest("hex");
      const encoded = { json, digest, bytes: Buffer.byteLength(json) };
      assert.deepEqual(long?.values.get(change.variable.value), encoded);
    }
  }
});

test("leaves short values and removals to the encoder of the commit", () => {
  const removed = { type: "removed", name: "a", reason: "removed" } as const;
  const writes = [edit(set("a", "short"), removed), journal(set("b", "x".repeat(10_000)))];
  assert.equal(encodeLongParts([{ writes }]), undefined);
});

test("other work runs while a long value is encoded", async () => {
  let turns = 0;
  const count = setInterval(() => (turns += 1), 0);
  await encodeLongParts([{ writes: [edit(set("a", "é".repeat(8_000_000)))] }]);
  clearInterval(count);
  assert.ok(turns > 1, `${turns} turns`);
});

test("a commit with long texts is encoded as without slices", async () => {
  const text = `"${"🙂\n".repeat(200_000)}`;
  const call = { ...callRecord("c", { status: "started" }), args: { text, list: [text, "short"] } };
  const writes: readonly StoreWrite[] = [
    {
      type: "journal",
      runId: "r",
      epoch: 1,
      writes: [
        start("i"),
        end("i", text),
        { type: "message", round: 1, message: { role: "user", content: text } },
        { type: "call", call },
        { ...resultOf("completed"), result: { ...resultOf("completed").result, answer: text } },
      ],
    },
  ];
  const request = { at: 1, writes };
  const long = await encodeLongParts([request]);
  assert.equal(long?.texts.size, 1);
  assert.deepEqual(new CommitEncoder().encode(request, long), new CommitEncoder().encode(request));
});

test("a text that looks like the mark of a long text stays as it is", async () => {
  const long = "x".repeat(300_000);
  const message = { role: "user", content: long } as const;
  const write = { type: "message", round: 1, message } as const;
  const parts = await encodeLongParts([
    { writes: [{ type: "journal", runId: "r", epoch: 1, writes: [write] }] },
  ]);
  const value = { a: "long-0", b: [long, '"long-0"'], [long]: 1 };
  assert.equal(toJsonWith(parts)(value), JSON.stringify(value));
});
