import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isToolError } from "@capstan/core";
import { testFolder } from "@capstan/sandbox/testing";
import { scriptFile } from "../testing/run-script.ts";
import { Snapshots } from "./snapshot.ts";

const folder = testFolder();
const script = scriptFile(join(folder, "boats.py"), "def find(): ...\n");

test("a call that shares a copy which fails makes its own", async () => {
  const snapshots = new Snapshots();
  const unreadable = { ...script, folder: join(folder, "being-written") };
  const [failed, taken] = await Promise.all([snapshots.take(unreadable), snapshots.take(script)]);
  assert.ok(isToolError(failed) && failed.code === "script_changed");
  assert.ok(!isToolError(taken));
  assert.equal(readFileSync(join(taken.folder, "boats.py"), "utf8"), "def find(): ...\n");

  const again = await snapshots.take(script);
  assert.ok(!isToolError(again));
  assert.equal(again.folder, taken.folder, "calls share a copy");
  taken.release();
  assert.ok(existsSync(again.folder));
  again.release();
  await new Promise(setImmediate);
  assert.ok(!existsSync(again.folder));
});
