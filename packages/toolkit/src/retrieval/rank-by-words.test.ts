import assert from "node:assert/strict";
import { test } from "node:test";
import { rankByWords } from "./rank-by-words.ts";

test("rare words and short parts count more, and parts without a word are left out", async () => {
  const parts = [
    { words: ["wa", "wb", "wb", "wb"] },
    { words: ["wc"] },
    { words: ["wa", "wb"] },
    { words: ["wd", "wb"] },
  ];
  const ranked = await rankByWords(parts, ["wd", "wb"]);
  assert.deepEqual(
    ranked.map(({ words }) => words.join(" ")),
    ["wd wb", "wa wb wb wb", "wa wb"],
  );
});

test("other work gets its turn while many parts are ranked", async () => {
  const words = Array.from({ length: 500 }, (_, n) => `w${n}`);
  const parts = Array.from({ length: 20_000 }, () => ({ words }));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  assert.equal((await rankByWords(parts, ["w1"])).length, 20_000);
  clearInterval(timer);
  assert.ok(turns > 1, `${turns} turns`);
});
