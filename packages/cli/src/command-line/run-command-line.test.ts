import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

/** The command, as a process of its own. */
function capstan(...args: readonly string[]) {
  const { promise, resolve } = Promise.withResolvers<{ code: number; out: string; err: string }>();
  const condition = "--conditions=@capstan/source";
  const child = execFile(
    process.execPath,
    [condition, main, ...args],
    { cwd: tmpdir() },
    (_, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
  );
  return promise;
}

test("the command line teaches, and its exit code says whether it made sense", async () => {
  const [help, none, serve, version, wrong, flag, value] = await Promise.all([
    capstan("--help"),
    capstan(),
    capstan("help", "serve"),
    capstan("--version"),
    capstan("sevre"),
    capstan("chat", "--modle", "x"),
    capstan("serve", "--port", "80a"),
  ]);
  assert.equal(help.code, 0);
  for (const word of ["serve", "chat", "tools", "capstan chat"])
    assert.ok(help.out.includes(word), word);
  assert.equal(none.out, help.out);
  assert.match(serve.out, /--port N .*default 8787.*\[CAPSTAN_PORT\]/);
  assert.match(version.out, /^\d+\.\d+\.\d+\n$/);
  assert.deepEqual([wrong.code, flag.code, value.code], [2, 2, 2]);
  assert.match(wrong.err, /no command sevre\. Did you mean serve\?/);
  assert.match(flag.err, /no flag --modle\. Did you mean --model\? `capstan chat --help`/);
  assert.match(value.err, /^--port: expected a port number/);
});
