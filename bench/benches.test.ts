import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { benches } from "./benches.ts";
import { floors } from "./floors.ts";

test("docs/benchmarks.md has a section for each bench, in order, with the command that writes its figures", async () => {
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
      assert.notEqual(found, -1, `${wanted} is missing or out of order`);
      at = found;
    }
});

test("each floor belongs to a bench", () => {
  const names = benches.map(({ name }) => name);
  for (const { bench } of floors) assert.ok(names.includes(bench), bench);
});
