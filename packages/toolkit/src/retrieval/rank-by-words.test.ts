import assert from "node:assert/strict";
import { test } from "node:test";
import { hashWords } from "./hash-words.ts";
import { WordRanking } from "./rank-by-words.ts";

test("rare words and short parts rank higher, and parts without a word are omitted", () => {
  const parts = ["wa wb wb wb", "wc", "wa wb", "wd wb"];
  const ranking = new WordRanking<string>(["wd", "wb"]);
  for (const part of parts) ranking.add(part, hashWords(part.split(" ")));
  const ranked = ranking.ranked();
  assert.deepEqual(
    ranked.map(({ part }) => part),
    ["wd wb", "wa wb wb wb", "wa wb"],
  );
  assert.deepEqual(
    ranked.map(({ words }) => [...words].toSorted()),
    [["wb", "wd"], ["wb"], ["wb"]],
  );
});
