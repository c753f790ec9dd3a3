import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runCommandLine } from "./run-command-line.ts";

async function run(...args: readonly string[]) {
  let out = "";
  let err = "";
  const code = await runCommandLine(args, {
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

test("shows help of the program with its commands, and of a command with its flags", async () => {
  const { code, out } = await run("--help");
  assert.equal(code, 0);
  for (const word of ["serve", "chat", "tools", "capstan chat"])
    assert.ok(out.includes(word), word);
  assert.deepEqual(await run(), { code, out, err: "" });
  const serve = await run("help", "serve");
  assert.match(serve.out, /--port N .*default 8787.*\[CAPSTAN_PORT\]/);
  assert.match((await run("serve", "--help")).out, /--port N[\s\S]*Examples:/);
  assert.match((await run("--version")).out, /^\d+\.\d+\.\d+\n$/);
});

test("shows help of a group of commands, and of each of its commands", async () => {
  const group = await run("scripts");
  assert.equal(group.code, 0);
  assert.match(group.out, /Usage: capstan scripts COMMAND[\s\S]*check +Check scripts/);
  assert.deepEqual(await run("scripts", "--help"), group);
  assert.deepEqual(await run("help", "scripts"), group);
  const { out } = await run("scripts", "check", "--help");
  assert.match(out, /Usage: capstan scripts check \[PATH…\] \[FLAGS\][\s\S]*--json/);
  assert.match((await run("help", "scripts", "check")).out, /capstan scripts check/);
  assert.match(
    (await run("scripts", "chekc")).err,
    /^There is no command chekc\. Did you mean check\?/,
  );
  assert.match((await run("scripts", "list", "x")).err, /^scripts list takes no "x"\./);
});

test("rejects an unknown command or flag and suggests the nearest name", async () => {
  const wrong = await run("sevre");
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /^There is no command sevre\. Did you mean serve\? See `capstan --help`/);
  const flag = await run("chat", "--modle", "x");
  assert.equal(flag.code, 2);
  assert.match(flag.err, /no flag --modle\. Did you mean --model\? See `capstan chat --help`/);
  assert.match((await run("tools", "files")).err, /^tools takes no "files"\./);
});

test("ends the process with a message and exit code 2 if a setting is invalid", async () => {
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  const args = ["--conditions=@capstan/source", main, "serve", "--port", "80a"];
  const { promise, resolve } = Promise.withResolvers<string>();
  const child = execFile(process.execPath, args, { cwd: tmpdir() }, (_error, _out, err) =>
    resolve(err),
  );
  assert.match(await promise, /^--port: expected a port number from 0 to 65535, got "80a"\n$/);
  assert.equal(child.exitCode, 2);
});
