import assert from "node:assert/strict";
import { test } from "node:test";
import { newCall, type CallState } from "./call-state.ts";
import { foundTools } from "./found-tools.ts";

const call = (name: string, finalText: string, more: Partial<CallState> = {}): CallState => ({
  ...newCall("c", name),
  status: "success",
  result: { finalText } as NonNullable<CallState["result"]>,
  ...more,
});

test("found tools are those in the results of the model's searches", () => {
  const text = "Found tools:\n- MoveFile (edit): Moves a file.\n- pay: Of the client.\n- a (b): x";
  const found = foundTools([
    { calls: { a: call("SearchTools", text) } },
    { calls: { b: call("Other", "- No (edit): x") } },
    { calls: { c: call("SearchTools", "- Inner (edit): x", { parentCallId: "p" }) } },
    { calls: { d: call("SearchTools", "- Failed (edit): x", { status: "error" }) } },
    { calls: { e: newCall("e", "SearchTools") } },
  ]);
  assert.deepEqual([...found], ["edit.MoveFile", "b.a"]);
});
