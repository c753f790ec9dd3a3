import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isToolError } from "@capstan/core";
import { scriptFile, testFolder } from "../../testing/run-script.ts";
import type { DeclaredPermissions, Script } from "../script-function.ts";
import { openScriptApprovals } from "./script-approvals.ts";

const folder = testFolder();
const declared: DeclaredPermissions = {
  file: { network: true },
  functions: { f: { executionPolicy: "auto" } },
};
let count = 0;

function book() {
  const file = join(folder, `book-${++count}/approvals.json`);
  return { file, approvals: openScriptApprovals({ file }) };
}

function script(source = "def f(): return 1", name = "tool.py"): Script {
  return { ...scriptFile(join(folder, "scripts", name), source), declared };
}

test("what a script declares counts for nothing until a person approved it", () => {
  const { approvals } = book();
  assert.equal(approvals.approved(script()), undefined);
  approvals.approve(script());
  assert.deepEqual(approvals.approved(script()), declared);
});

test("an approval holds for this content in this place alone", () => {
  const { approvals } = book();
  approvals.approve(script());
  assert.equal(approvals.approved(script("def f(): return 2")), undefined);
  assert.equal(approvals.approved(script(undefined, "copy.py")), undefined);
  assert.deepEqual(approvals.approved(script()), declared);
});

test("what was approved holds, whatever the script would say of itself now", () => {
  const { approvals } = book();
  approvals.approve(script());
  const bolder = { ...script(), declared: { file: { secrets: ["KEY"] }, functions: {} } };
  assert.deepEqual(approvals.approved(bolder), declared);
});

test("an approval is kept, for its owner alone, and can be taken back", () => {
  const { file, approvals } = book();
  approvals.approve(script());
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const again = openScriptApprovals({ file });
  assert.deepEqual(again.approved(script()), declared);
  assert.equal(again.revoke(script().path), true);
  assert.equal(again.revoke(script().path), false);
  assert.equal(openScriptApprovals({ file }).approved(script()), undefined);
});

test("another process's word is seen, and neither loses the other's", async () => {
  const { file, approvals } = book();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = approvals.subscribe(() => approvals.approved(script()) && resolve());
  const other = openScriptApprovals({ file });
  other.approve(script());
  await promise;
  end();
  approvals.approve(script(undefined, "second.py"));
  assert.equal(other.list().size, 2);
  approvals.close();
});

test("a script with errors, or whose declaration came from the cache, cannot be approved", () => {
  const { approvals } = book();
  const broken: Script = {
    ...script(),
    problems: [{ severity: "error", message: "It makes no sense.", line: 3 }],
  };
  const refused = approvals.approve(broken);
  assert.ok(isToolError(refused) && refused.message.includes("in line 3: It makes no sense."));
  const { declared: _, ...cached } = script();
  assert.ok(isToolError(approvals.approve(cached)));
  assert.equal(approvals.list().size, 0);
});

test("a file that was edited by hand, cut off or forged approves nothing of what it spoils", () => {
  const { file, approvals } = book();
  approvals.approve(script());
  const whole = readFileSync(file, "utf8");
  for (const spoilt of [
    "",
    "null",
    whole.slice(0, -10),
    whole.replace('"version": 1', '"version": 2'),
    whole.replace('"network": true', '"network": "yes"'),
    whole.replace('"network"', '"everything"'),
  ]) {
    writeFileSync(file, spoilt);
    assert.equal(openScriptApprovals({ file }).approved(script()), undefined, spoilt);
  }
});
