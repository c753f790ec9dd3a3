import assert from "node:assert/strict";
import { test } from "node:test";
import { filteredTools } from "./tool-filter.ts";

const tools = [
  { name: "ViewFile", readOnly: true },
  { name: "WriteFile", readOnly: false },
];

test("a filter means what it names, and what only reads where it says so", () => {
  assert.deepEqual(filteredTools({}, tools), ["ViewFile", "WriteFile"]);
  assert.deepEqual(filteredTools({ toolNames: ["WriteFile", "Other"] }, tools), ["WriteFile"]);
  assert.deepEqual(filteredTools({ readOnly: true }, tools), ["ViewFile"]);
  assert.deepEqual(filteredTools({ toolNames: ["WriteFile"], readOnly: true }, tools), []);
});
