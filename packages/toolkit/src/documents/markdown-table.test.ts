import assert from "node:assert/strict";
import { test } from "node:test";
import { markdownTable } from "./markdown-table.ts";

test("a cell is one line, and its marks are escaped", () => {
  const rows = [["a"], [" one \n\n  two | three\\ "]];
  assert.equal(markdownTable(rows), "| a |\n| --- |\n| one<br>two \\| three\\\\ |");
});

test("a cell with many spaces is formatted in linear time", () => {
  const began = process.cpuUsage();
  markdownTable([["a"], [`x${" ".repeat(200_000)}y`]]);
  assert.ok(process.cpuUsage(began).user < 10_000_000);
});
