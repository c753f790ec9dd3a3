import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleParts } from "@capstan/core/text";
import { plainStyle as style } from "./style.ts";
import { visibleBlock, visibleName } from "./visible.ts";

const view = { style, columns: 40, whole: true };
const isolated = (word: string) => `\u2068${word}\u2069`;
const block = (text: string) => visibleBlock(visibleParts(text), view).text;

test("right-to-left words keep their positions in code", () => {
  assert.equal(block("mv א ב"), `  │ mv ${isolated("א")} ${isolated("ב")}`);
});

test("right-to-left prose is unchanged", () => {
  assert.equal(block("שלום עולם"), "  │ שלום עולם");
});

test("each part of a word that continues on the next line is isolated", () => {
  assert.equal(
    block(`ls ${"א".repeat(20)}`),
    `  │ ls ${isolated("א".repeat(16))}\n  ┊ ${isolated("א".repeat(4))}`,
  );
});

test("right-to-left names keep their positions in a sentence", () => {
  const name = (text: string) => visibleName(text, style);
  assert.equal(`${name("א")} or ${name("Fetch")}`, `${isolated("א")} or Fetch`);
  assert.equal(name("א:80"), isolated(`${isolated("א")}:80`));
});
