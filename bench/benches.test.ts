import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { benches } from "./benches.ts";

test("each bench has its place in docs/benchmarks.md, in their order, and the command that makes its table", async () => {
  const page = await readFile(new URL("../docs/benchmarks.md", import.meta.url), "utf8");
  let at = 0;
  for (const { name } of benches)
    for (const wanted of [
      `## ${name}\n`,
      `npm run bench -- ${name} --write`,
      `<!-- figures of ${name} -->`,
      `<!-- end of ${name} -->`,
    ]) {
      const found = page.indexOf(wanted, at);
      assert.notEqual(found, -1, `${wanted} is missing, or out of its place`);
      at = found;
    }
});
