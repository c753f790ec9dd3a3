import assert from "node:assert/strict";
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type PolicyRule, ToolExecutor } from "@capstan/core";
import { deniedResources } from "@capstan/core/host";
import { fakeContext } from "@capstan/core/testing";
import { confined, noSandbox, testFolder } from "@capstan/sandbox/testing";
import { approveAll, runFunction, scriptFile, testRunner } from "../testing/run-script.ts";
import { codeTools } from "./code-tools.ts";

const workspace = join(testFolder(), "workspace");
mkdirSync(join(workspace, "a/secrets"), { recursive: true });
writeFileSync(join(workspace, "a/secrets/key"), "TOP SECRET");
writeFileSync(join(workspace, "a/open.txt"), "open");
writeFileSync(join(workspace, "server.pem"), "TOP SECRET");
symlinkSync("a/secrets", join(workspace, "folder"));
linkSync(join(workspace, "a/secrets/key"), join(workspace, "hard.txt"));

const rules: readonly PolicyRule[] = [
  { tool: "files.*", when: { path: "a/secrets/**" }, execution: "deny" },
  { tool: "files.ViewFile", when: { path: "**/*.pem" }, execution: "deny" },
];
const reading = "cat a/secrets/key folder/key hard.txt server.pem a/open.txt";
const skip = noSandbox || (existsSync("/usr/bin/python3") ? false : "no /usr/bin/python3");

/** Runs a tool of the group `code` with these rules; a user allows it. */
async function run(
  name: string,
  args: { readonly [name: string]: string },
  options: { readonly rules?: readonly PolicyRule[]; readonly network?: readonly string[] } = {},
): Promise<string> {
  const executor = new ToolExecutor({
    rules: options.rules ?? rules,
    approvals: { request: () => ({ decision: "allow" }) },
  });
  executor.registerToolGroup(
    codeTools({
      sandbox: confined,
      roots: [workspace],
      write: true,
      find: (program) => [`/usr/bin/${program}`].find(existsSync),
      ...(options.network && { network: options.network }),
    }),
  );
  executor.toggleGroupEnabled("code", true);
  const result = await executor.execute(`code.${name}`, args);
  assert.ok("finalText" in result);
  return result.finalText;
}

describe("a path that a rule denies to file tools", { skip }, () => {
  // Contract: sandbox-67
  test("is hidden from commands and Python, under every name that it has", async () => {
    const shell = await run("Shell", { command: reading });
    const python = await run("Python", {
      code: `import subprocess; subprocess.run(${JSON.stringify(reading)}, shell=True, stderr=subprocess.STDOUT)`,
    });
    for (const text of [shell, python]) {
      assert.doesNotMatch(text, /TOP SECRET/);
      assert.match(text, /open/);
    }
  });

  // Contract: sandbox-67
  test("cannot be moved to a path without a rule", async () => {
    await run("Shell", { command: "mv a b; mv a/secrets c; ln a/secrets/key d; mv server.pem e" });
    assert.equal(readFileSync(join(workspace, "a/secrets/key"), "utf8"), "TOP SECRET");
    assert.equal(readFileSync(join(workspace, "server.pem"), "utf8"), "TOP SECRET");
  });

  // Contract: sandbox-67
  test("is hidden from scripts, and a worker from before the rule is not reused", async () => {
    const script = scriptFile(
      join(testFolder(), "reader.py"),
      "def read(path):\n    try:\n        return open(path).read()\n    except OSError as e:\n        return e.strerror\n",
    );
    const runner = testRunner({
      approvals: approveAll({ file: { roots: { read: [workspace] } }, functions: {} }),
      ruledRoots: [{ path: workspace }],
    });
    const path = join(workspace, "a/secrets/key");
    const value = async (given: readonly PolicyRule[]) => {
      const context = fakeContext({ denied: deniedResources(given) });
      return (await runFunction(runner, script, "read", { path }, context)).value;
    };
    assert.equal(await value([]), "TOP SECRET");
    assert.equal(await value(rules), "No such file or directory");
  });
});

describe("a host that a rule denies", { skip }, () => {
  let server: Server;
  let host = "";
  before(async () => {
    server = createServer((_, response) => response.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  // Contract: sandbox-67
  test("is not reachable by code, even if its network access allows it", async () => {
    const code = `import urllib.request, urllib.error
try: print(urllib.request.urlopen("http://${host}/").read().decode())
except urllib.error.HTTPError as e: print(e.code, e.read().decode())`;
    const network = [host];
    assert.match(await run("Python", { code }, { rules: [], network }), /reached/);
    const denied = await run(
      "Python",
      { code },
      { rules: [{ tool: "web.*", when: { url: { host } }, execution: "deny" }], network },
    );
    assert.match(denied, /403 A rule denies the host 127\.0\.0\.1/);
  });
});
