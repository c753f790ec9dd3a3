import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallResult } from "@capstan/core";
import { createHostedData } from "./hosted-data.ts";

const result: CallResult = {
  finalText: "[withheld]",
  isTruncated: false,
  tokens: { original: 1, final: 1 } as unknown as CallResult["tokens"],
  durationMs: 1,
  preview: "",
};
const hits = {
  sources: [{ url: "https://a.example/" }],
  results: [{ url: "https://b.example/", file: "a.txt", text: "secret" }],
};

test("a review discards the data of a tool's events, whenever they arrive", () => {
  const data = createHostedData();
  data.take(hits);
  assert.equal(data.sources().length, 2);
  data.review();
  data.take(hits);
  data.settle(result);
  assert.deepEqual([data.sources(), data.pages(), data.files()], [[], [], []]);
  assert.deepEqual(data.outputs(), [{ type: "logs", logs: "[withheld]" }]);
});

test("data of an unexpected form is ignored", () => {
  const data = createHostedData();
  for (const odd of [null, [], "x", { sources: 1, results: [1, { url: 1 }, { url: "ftp://a/" }] }])
    data.take(odd);
  assert.deepEqual([data.sources(), data.pages()], [[], []]);
  assert.deepEqual(data.outputs(), []);
});
