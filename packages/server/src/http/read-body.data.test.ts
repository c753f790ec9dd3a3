import assert from "node:assert/strict";
import { test } from "node:test";
import { takeData } from "./read-body.ts";

const data = Buffer.alloc(40_000, 7).toString("base64");
const part = () => ({ type: "input_file", filename: "a.pdf", file_data: data as string | null });

test("the bytes of files are extracted from messages and outputs", () => {
  const input = [
    { role: "user", content: [part()] },
    { type: "message", role: "user", content: [part()] },
    { type: "function_call_output", call_id: "c", output: [part()] },
    { type: "custom_tool_call_output", call_id: "d", output: [part()] },
  ];
  const taken = takeData({ input });
  assert.deepEqual(
    taken.map(({ at }) => at.join("/")),
    [0, 1]
      .map((n) => `input/${n}/content/0/file_data`)
      .concat([2, 3].map((n) => `input/${n}/output/0/file_data`)),
  );
  for (const { bytes } of taken) assert.equal(bytes.length, 40_000);
  assert.equal(input[0]?.content?.[0]?.file_data, null);
});

test("an item of an unknown type keeps its data", () => {
  const body = { input: [{ type: "x_custom", content: [part()], output: [part()] }] };
  const before = structuredClone(body);
  assert.deepEqual(takeData(body), []);
  assert.deepEqual(body, before);
});
