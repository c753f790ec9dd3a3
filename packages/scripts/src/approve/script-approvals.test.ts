import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { isToolError } from "@capstan/core";
import { testFolder } from "@capstan/sandbox/testing";
import { scriptFile } from "../testing/run-script.ts";
import type { DeclaredPermissions, Script } from "../definition/script-function.ts";
import { openScriptApprovals } from "./script-approvals.ts";

const folder = testFolder();
const declared: DeclaredPermissions = {
  file: { network: true },
  functions: { f: { executionPolicy: "auto" } },
};
let count = 0;

function book() {
  const kept = join(folder, `book-${++count}/approvals`);
  return { kept, approvals: openScriptApprovals({ folder: kept }) };
}

/** The files that contain approvals. */
const filesIn = (kept: string) => readdirSync(kept).map((name) => join(kept, name));

function script(source = "def f(): return 1", name = "tool.py"): Script {
  return { ...scriptFile(join(folder, "scripts", name), source), declared };
}

// Contract: sandbox-56
test("a script's declared permissions do not count until a user approves it", () => {
  const { approvals } = book();
  assert.equal(approvals.approved(script()), undefined);
  approvals.approve(script());
  assert.deepEqual(approvals.approved(script()), declared);
});

// Contract: sandbox-57
test("an approval covers only its content at its path", () => {
  const { approvals } = book();
  approvals.approve(script());
  assert.equal(approvals.approved(script("def f(): return 2")), undefined);
  assert.equal(approvals.approved(script(undefined, "copy.py")), undefined);
  assert.deepEqual(approvals.approved(script()), declared);
});

// Contract: sandbox-57
test("the approved permissions apply, whatever the script declares now", () => {
  const { approvals } = book();
  approvals.approve(script());
  const bolder = { ...script(), declared: { file: { secrets: ["KEY"] }, functions: {} } };
  assert.deepEqual(approvals.approved(bolder), declared);
});

// Contract: sandbox-59
test("an approval is stored for its owner only and can be revoked", () => {
  const { kept, approvals } = book();
  approvals.approve(script());
  const modes = [kept, ...filesIn(kept)].map((path) => statSync(path).mode & 0o777);
  assert.deepEqual(modes, [0o700, 0o600]);
  const again = openScriptApprovals({ folder: kept });
  assert.deepEqual(again.approved(script()), declared);
  assert.equal(again.revoke(script().path), true);
  assert.equal(again.revoke(script().path), false);
  assert.equal(openScriptApprovals({ folder: kept }).approved(script()), undefined);
  assert.deepEqual(filesIn(kept), []);
});

// Contract: sandbox-59
test("approvals are readable for their owner only, even in a folder that others could read", () => {
  const { kept } = book();
  mkdirSync(kept, { recursive: true, mode: 0o755 });
  const approvals = openScriptApprovals({ folder: kept });
  approvals.approve(script());
  assert.equal(statSync(kept).mode & 0o777, 0o700);
});

// Contract: sandbox-58
test("processes that approve at the same time do not lose each other's approvals", async () => {
  const { kept, approvals } = book();
  const scripts = Array.from({ length: 60 }, (_, index) => script(undefined, `many-${index}.py`));
  const shares = [0, 1, 2].map((of) => scripts.filter((_, index) => index % 3 === of));
  await Promise.all(
    shares.map((share) =>
      once(
        new Worker(new URL("../testing/approve-scripts.ts", import.meta.url), {
          workerData: { folder: kept, scripts: share },
        }),
        "exit",
      ),
    ),
  );
  assert.equal(approvals.list().size, 60);
});

// Contract: sandbox-58
test("two processes see each other's approvals and keep both", async () => {
  const { kept, approvals } = book();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = approvals.subscribe(() => approvals.approved(script()) && resolve());
  const other = openScriptApprovals({ folder: kept });
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

// Contract: sandbox-59
test("a file that was edited, truncated, moved or forged approves nothing", () => {
  const { kept, approvals } = book();
  approvals.approve(script());
  approvals.approve(script(undefined, "other.py"));
  const isRejected = () => openScriptApprovals({ folder: kept }).approved(script()) === undefined;
  const file = filesIn(kept).find((path) => readFileSync(path, "utf8").includes("tool.py"));
  assert.ok(file !== undefined && !isRejected());
  const whole = readFileSync(file, "utf8");
  for (const corrupt of [
    "",
    "null",
    whole.slice(0, -10),
    whole.replace('"version": 1', '"version": 2'),
    whole.replace('"network": true', '"network": "yes"'),
    whole.replace('"network"', '"everything"'),
  ]) {
    writeFileSync(file, corrupt);
    assert.equal(isRejected(), true, corrupt);
  }
  writeFileSync(file, whole);
  renameSync(file, join(kept, "moved.json"));
  assert.equal(isRejected(), true);
  const other = openScriptApprovals({ folder: kept }).approved(script(undefined, "other.py"));
  assert.deepEqual(other, declared);
});
