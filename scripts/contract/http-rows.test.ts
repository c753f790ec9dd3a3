import assert from "node:assert/strict";
import { test } from "node:test";
import { httpProblems } from "./http-rows.ts";

const page = (...list: readonly string[]) => ({
  page: "a.md",
  text: ["| Id | What |", "|---|---|", "| a-1 | it adds |", "| a-2 | it takes |", ...list].join(
    "\n",
  ),
});
const covering = (file: string, more = "") => ({
  file,
  text: `// Contract: a-1, b-3\ntest("adds", () => {});\n${more}`,
});

test("rows need a test that sends requests, or a reason", () => {
  const sends = [covering("packages/server/src/app.test.ts", "createTestApp({})")];
  assert.deepEqual(httpProblems(page("- a-2: only programs see it."), sends), []);
  assert.deepEqual(
    httpProblems(page(), [covering("test/a.test.ts")]).map((line) => line.split(";")[0]),
    ["a.md:4: no test through HTTP covers a-2"],
  );
});

test("tests of core and of the server's functions do not count", () => {
  const files = ["packages/core/src/a.test.ts", "packages/server/src/a.test.ts"];
  const problems = httpProblems(
    page(),
    files.map((file) => covering(file)),
  );
  assert.equal(problems.length, 2);
});

test("an unnecessary reason, and one for an unknown row, are reported", () => {
  const list = page("- a-1: old.", "- a-2: a reason.", "- a-9: unknown.");
  assert.deepEqual(httpProblems(list, [covering("test/a.test.ts")]), [
    "a.md:5: a-1 has a test through HTTP; remove it from this list",
    "a.md:7: there is no row a-9; remove it",
  ]);
});
