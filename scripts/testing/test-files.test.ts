import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../command.ts";
import { longestFirst } from "./longest-first.ts";
import { testFiles } from "./test-files.ts";

test("every test file is in npm test or in test:long, and in no more than one of them", () => {
  const [quick, long, all] = [testFiles("quick"), testFiles("long"), testFiles("all")];
  assert.deepEqual([...quick.unit, ...long.unit].toSorted(), all.unit);
  assert.deepEqual([...quick.integration, ...long.integration].toSorted(), all.integration);
  // A name without a file would have no effect.
  assert.deepEqual(
    longestFirst.filter((file) => !all.integration.includes(file)),
    [],
  );
});

// Types alone have no test of their own.
test("npm test covers every package but the types, the browser and a crash", () => {
  const { unit, integration } = testFiles("quick");
  for (const name of readdirSync(join(root, "packages")).filter((each) => each !== "contract"))
    assert.ok(
      unit.some((file) => file.startsWith(`packages/${name}/`)),
      name,
    );
  assert.ok(integration.includes("test/restart.test.ts"), "kill -9 of a server");
  assert.ok(integration.some((file) => file.startsWith("test/page/")));
});

test("the properties are some of the unit tests", () => {
  const { unit, integration } = testFiles("properties");
  assert.deepEqual(integration, []);
  assert.ok(unit.length > 50 && unit.every((file) => testFiles("all").unit.includes(file)));
});
