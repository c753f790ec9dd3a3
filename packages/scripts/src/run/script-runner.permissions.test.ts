import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isToolError } from "@capstan/core";
import { noSandbox, testFolder } from "@capstan/sandbox/testing";
import { approveAll, runFunction, scriptFile, testRunner } from "../testing/run-script.ts";
import { unconfined } from "@capstan/sandbox";
import { askWithoutSandbox } from "../approve/ask-without-sandbox.ts";
import type { ScriptPermissions } from "../definition/script-function.ts";

const folder = testFolder();
const home = join(folder, "tools");
mkdirSync(join(folder, "workspace"), { recursive: true });
mkdirSync(join(home, "data"), { recursive: true });
mkdirSync(join(home, "out"));
mkdirSync(join(folder, "server-data"));
writeFileSync(join(folder, "workspace/note.txt"), "a note");
writeFileSync(join(home, "data/table.txt"), "a table");
writeFileSync(join(folder, "server-data/journal"), "TOP SECRET");

const script = scriptFile(
  join(home, "tool.py"),
  `import os, pathlib, urllib.request
here = pathlib.Path(__file__).parent
def see(paths):
    seen = {}
    for path in paths:
        try: seen[path] = (here / path).read_text()
        except OSError as error: seen[path] = type(error).__name__
    return seen
def change(paths):
    done = []
    for path in paths:
        try:
            (here / path).write_text("changed")
            done.append(path)
        except OSError: pass
    return done
def secrets(): return {name: value for name, value in os.environ.items() if "KEY" in name}
def fetch(url): return urllib.request.urlopen(url, timeout=5).read().decode()
def place(): return __file__
`,
);
const environment = { WEATHER_KEY: "w", OPENAI_API_KEY: "TOP SECRET" };
const hidden = [join(folder, "server-data")];

/** A runner for which these permissions are approved for every function. */
function approved(file: ScriptPermissions | undefined, functions = {}) {
  return testRunner({
    environment,
    hidden,
    approvals: approveAll(file === undefined ? undefined : { file, functions }),
  });
}

const value = async (...given: Parameters<typeof runFunction>) =>
  (await runFunction(...given)).value;

describe(
  "a script",
  { skip: noSandbox || (existsSync("/usr/bin/python3") ? false : "no Python") },
  () => {
    const everything = [
      "tool.py",
      "data/table.txt",
      "../workspace/note.txt",
      "../server-data/journal",
    ];

    // Contract: sandbox-56
    test("without an approval reads its own files, and has no secret", async () => {
      const runner = approved(undefined);
      const seen = (await value(runner, script, "see", { paths: everything })) as object;
      assert.deepEqual(
        Object.values(seen).slice(1),
        Array.from({ length: 3 }, () => "FileNotFoundError"),
      );
      assert.deepEqual(
        await value(runner, script, "change", { paths: [...everything, "out/x"] }),
        [],
      );
      assert.deepEqual(await value(runner, script, "secrets"), {});
    });

    // Contract: sandbox-60
    test("with an approval reads the folders that it declares, relative to its own folder, and no others", async () => {
      const runner = approved({ roots: { read: ["data", "../workspace"], write: ["out"] } });
      const seen = await value(runner, script, "see", { paths: everything.slice(1) });
      assert.deepEqual(seen, {
        "data/table.txt": "a table",
        "../workspace/note.txt": "a note",
        "../server-data/journal": "FileNotFoundError",
      });
      const paths = ["tool.py", "data/table.txt", "../workspace/note.txt", "out/x.txt"];
      assert.deepEqual(await value(runner, script, "change", { paths }), ["out/x.txt"]);
      assert.equal(readFileSync(join(home, "out/x.txt"), "utf8"), "changed");
    });

    // Contract: sandbox-5
    test("cannot change itself or read the server's data, whatever folder it may change", async () => {
      const runner = approved({ roots: { write: [".", ".."] } });
      const paths = ["tool.py", "../server-data/journal", "../server-data/new"];
      assert.deepEqual(await value(runner, script, "change", { paths }), []);
      const seen = await value(runner, script, "see", { paths: ["../server-data/journal"] });
      assert.deepEqual(seen, { "../server-data/journal": "FileNotFoundError" });
    });

    // Contract: sandbox-66
    test("cannot change a .git that appeared after its worker started", async () => {
      const runner = approved({ roots: { write: ["out"] } });
      assert.deepEqual(await value(runner, script, "change", { paths: ["out/y.txt"] }), [
        "out/y.txt",
      ]);
      mkdirSync(join(home, "out/clone/.git"), { recursive: true });
      const change = () => value(runner, script, "change", { paths: ["out/clone/.git/config"] });
      // The last search for .git is valid for a moment.
      for (let tries = 0; !isDeepStrictEqual(await change(), []); tries++) {
        assert.ok(tries < 40);
        await sleep(200);
      }
    });

    // Contract: sandbox-4
    test("cannot read the target of a link that has the name of a declared folder", async () => {
      symlinkSync(join(folder, "workspace"), join(home, "linked"));
      try {
        const runner = approved({ roots: { read: ["linked"] } });
        const refused = await value(runner, script, "see", { paths: ["linked/note.txt"] });
        assert.equal(isToolError(refused) && refused.code, "root_leads_out");
      } finally {
        unlinkSync(join(home, "linked"));
      }
    });

    // Contract: sandbox-4
    test("cannot use a folder to which a link in a root of code leads", async () => {
      const root = join(folder, "root-of-code");
      mkdirSync(root);
      symlinkSync(join(folder, "workspace"), join(root, "data"));
      const runner = testRunner({
        environment,
        ruledRoots: [{ path: root }],
        approvals: approveAll({
          file: { roots: { read: [root, join(root, "data")] } },
          functions: {},
        }),
      });
      const refused = await value(runner, script, "see", { paths: [join(root, "data/note.txt")] });
      assert.equal(isToolError(refused) && refused.code, "root_leads_out");
    });

    // Contract: sandbox-60
    test("has the secrets that it declares, and no others", async () => {
      const runner = approved({ secrets: ["WEATHER_KEY", "NOT_THERE_KEY"] });
      assert.deepEqual(await value(runner, script, "secrets"), { WEATHER_KEY: "w" });
    });

    // Contract: sandbox-60
    test("reaches the network if that was approved for the function", async () => {
      const server = createServer((_, response) => response.end("reached"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      try {
        const runner = approved({}, { fetch: { network: [new URL(url).host] } });
        assert.equal(await value(runner, script, "fetch", { url }), "reached");
        assert.equal(await value(runner, script, "fetch", { url }), "reached");
        const refused = await value(approved({ network: true }), script, "fetch", { url });
        assert.match(
          isToolError(refused) ? refused.message : "",
          /403.*not on the public internet/,
        );
        const other = approved({}, { see: { network: true } });
        assert.ok(isToolError(await value(other, script, "fetch", { url })));
      } finally {
        server.close();
      }
    });

    // Contract: sandbox-13
    test("that declares a folder with a link out of its own folder gets an error", async () => {
      const error = await value(approved({ roots: { read: ["/proc"] } }), script, "place");
      assert.ok(isToolError(error) && error.code === "invalid_sandbox_path");
    });

    // Contract: sandbox-48
    test("runs from its copy, with the paths of its own folder", async () => {
      const copy = join(folder, "kept");
      const moved = scriptFile(join(folder, "other/tool.py"), "def place(): return __file__\n");
      renameSync(join(folder, "other"), copy);
      mkdirSync(join(folder, "other"));
      const kept = { ...moved, folder: copy };
      assert.equal(await value(approved(undefined), kept, "place"), join(folder, "other/tool.py"));
    });
  },
);

// Contract: sandbox-61
test("without a sandbox an approved script asks for each call", () => {
  const declared = {
    file: { executionPolicy: "auto", timeoutMs: 5 },
    functions: { f: { executionPolicy: "deny" }, g: { executionPolicy: "ask-once" }, h: {} },
  } as const;
  const asked = askWithoutSandbox(unconfined.kind, approveAll(declared)).approved(script);
  assert.deepEqual(asked?.file, { executionPolicy: "ask-always", timeoutMs: 5 });
  const policies = Object.values(asked?.functions ?? {}).map((one) => one.executionPolicy);
  assert.deepEqual(policies, ["deny", "ask-always", "ask-always"]);
  assert.equal(askWithoutSandbox("none", approveAll()).approved(script), undefined);
  assert.equal(askWithoutSandbox("bubblewrap", approveAll(declared)).approved(script), declared);
});
