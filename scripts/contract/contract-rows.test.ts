import assert from "node:assert/strict";
import { test } from "node:test";
import { contractProblems } from "./contract-rows.ts";

const page = {
  page: "a.md",
  text: ["# A", "", "| Id | What |", "|---|---|", "| a-1 | it adds |", "| a-2 | it takes |"].join(
    "\n",
  ),
};
const tests = (...lines: readonly string[]) => [{ file: "a.test.ts", text: lines.join("\n") }];

test("tables with a test for every row have no problems", () => {
  const covering = tests("// Contract: a-1, a-2", "// A reason.", 'test("adds", () => {});');
  assert.deepEqual(contractProblems([page], covering), []);
});

test("a row without a test, and a comment that names no row, are reported", () => {
  assert.deepEqual(contractProblems([page], tests("// Contract: a-1, a-3", "  it(")), [
    "a.test.ts:1: no contract table has a row a-3",
    'a.md:6: no test covers a-2; write "// Contract: a-2" above one that does',
  ]);
});

test("a comment that is not above a test is reported", () => {
  const [problem] = contractProblems([page], tests("// Contract: a-1, a-2", "const x = 1;"));
  assert.equal(problem, "a.test.ts:1: no test follows this comment");
});

test("rows without an id, ids that repeat, and long lines are reported", () => {
  const text = `${page.text}\n| a-1 | again |\n| it takes | no id |\n| a-4 | ${"x".repeat(200)} |`;
  const problems = contractProblems(
    [{ page: "a.md", text }],
    tests("// Contract: a-1, a-2, a-4", "test("),
  );
  assert.deepEqual(problems, [
    "a.md:7: a-1 is also at a.md:5",
    "a.md:8: the first cell must be an id such as loop-12",
    "a.md:9: has 210 characters; write at most 200",
  ]);
});
