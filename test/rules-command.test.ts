import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { sourceCondition } from "../scripts/source-condition.ts";
import {
  createServerFolder,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";
import { bundled, command } from "./server-scripts.ts";

// Tests `capstan rules` with a running server and its calls.

let folder: ServerFolder;
let server: ServerProcess;

before(async () => {
  const settings = { rules: [{ tool: "web.*", execution: "ask-always", reason: "office rule" }] };
  folder = await createServerFolder({ "capstan.config.json": JSON.stringify(settings) });
  server = await startServerProcess({ folder });
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** Runs the command in the server's folder. */
function capstan(...args: readonly string[]) {
  const main = bundled(command);
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; out: string; err: string }>();
  const child = execFile(
    process.execPath,
    [sourceCondition, main, ...args, "--url", server.url],
    { cwd: folder.work, env: { PATH: process.env["PATH"], TMPDIR: tmpdir() }, timeout: 30_000 },
    (_error, out, err) => resolve({ code: child.exitCode, out, err }),
  );
  child.stdin?.end("/DateTime {}\n");
  return promise;
}

test("a rule that is set in the terminal applies from the next call until it is removed", async () => {
  const set = await capstan(
    "rules",
    "set",
    "basic.DateTime",
    "--execution",
    "deny",
    "--reason",
    "no clocks",
  );
  assert.deepEqual([set.code, set.err], [0, ""]);
  assert.match((await capstan("rules")).out, /^basic\.DateTime {2}deny, reason: no clocks\n/);
  assert.match((await capstan("chat")).out, /no clocks/);

  assert.equal((await capstan("rules", "remove", "basic.DateTime")).code, 0);
  assert.match((await capstan("rules", "list")).out, /no rules of your own/);
  assert.match((await capstan("chat")).out, /\*\*DateTime\*\* returned/);
});

test("a user's rule that an administrator's rule overrides is marked, also in JSON output", async () => {
  const { out } = await capstan("rules", "set", "web.*", "--execution", "auto");
  assert.match(
    out,
    /It has no effect: the administrator's rule for web\.\* requires approval every time: office rule/,
  );
  const [rule] = JSON.parse((await capstan("rules", "--json")).out) as [{ effect: string }];
  assert.equal(rule.effect, "none");
});

test("an invalid rule is rejected with the server's message and exit code 1", async () => {
  const { code, err } = await capstan("rules", "set", "web.Fetsh", "--execution", "deny");
  assert.equal(code, 1);
  assert.match(err, /^capstan rules: tool: there is no tool or group "web\.Fetsh" here\./);
});
