// Packages come from a package index on this machine, with one wheel and one source archive.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isToolError, type ToolContext, VariableSystem } from "@capstan/core";
import { call, fakeContext, toolOf } from "@capstan/core/testing";
import { confined, noSandbox, testFolder } from "@capstan/sandbox/testing";
import { codeTools } from "./code-tools.ts";

const folder = testFolder();
const requested: string[] = [];
const authorized: string[] = [];
const files = new Map<string, Buffer>();

const index = createServer((request, response) => {
  const path = request.url ?? "";
  authorized.push(request.headers.authorization ?? "");
  requested.push(path);
  const file = files.get(path.split("/").at(-1) ?? "");
  const [, project] = /^\/simple\/(\w+)\/$/.exec(path) ?? [];
  if (file !== undefined) return void response.end(file);
  const links = [...files.keys()].filter(
    (name) => project !== undefined && name.startsWith(project),
  );
  if (links.length === 0) return void response.writeHead(404).end();
  response.setHeader("content-type", "text/html");
  response.end(links.map((name) => `<a href="/files/${name}">${name}</a>`).join("\n"));
});

function addWheel(name: string, code: string): void {
  const info = `${name}-1.0.dist-info`;
  const path = join(folder, `${name}-1.0-py3-none-any.whl`);
  const source = `import zipfile, sys
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("${name}.py", ${JSON.stringify(code)})
    wheel.writestr("${info}/METADATA", "Metadata-Version: 2.1\\nName: ${name}\\nVersion: 1.0\\n")
    wheel.writestr("${info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("${info}/RECORD", "")`;
  execFileSync("/usr/bin/python3", ["-c", source, path]);
  files.set(`${name}-1.0-py3-none-any.whl`, readFileSync(path));
}

function pipProblem(): string | false {
  try {
    execFileSync("/usr/bin/python3", ["-c", "import venv, ensurepip"], { stdio: "ignore" });
    return false;
  } catch {
    return "no /usr/bin/python3 with venv";
  }
}

let indexUrl = "";
const environments = join(folder, "data", "environments");

function pythonWith(options: { readonly python?: string; readonly url?: string } = {}) {
  const group = codeTools({
    sandbox: confined,
    hidden: [join(folder, "data")],
    find: (name) => (name === "python3" ? (options.python ?? "/usr/bin/python3") : undefined),
    packages: {
      folder: environments,
      environment: { PIP_INDEX_URL: options.url ?? indexUrl, PIP_DEFAULT_TIMEOUT: "2" },
    },
  });
  const tool = toolOf(group, "Python");
  return (code: string, packages: readonly string[], context: ToolContext = fakeContext()) =>
    call(tool, { code, packages }, context);
}

const valueOf = (result: unknown) =>
  isToolError(result) ? result.message : (result as { readonly value?: unknown }).value;

describe("the packages of Python code", { skip: noSandbox || pipProblem() }, () => {
  before(async () => {
    addWheel("boats", "def length(): return 12\n");
    addWheel("sails", "area = 30\n");
    files.set("oars-1.0.tar.gz", Buffer.from("not read"));
    await new Promise<void>((resolve) => void index.listen(0, "127.0.0.1", resolve));
    indexUrl = `http://127.0.0.1:${(index.address() as AddressInfo).port}/simple/`;
  });
  after(() => index.close());

  test("are installed from the index once, and kept for later calls of the conversation only", async () => {
    const python = pythonWith();
    const variables = new VariableSystem();
    const first = fakeContext({ variables });
    assert.equal(valueOf(await python("import boats; boats.length()", ["boats==1.0"], first)), 12);
    assert.match(
      JSON.stringify(first.progress),
      /Install boats==1\.0.*Successfully installed boats/,
    );
    const count = requested.length;
    const later = "import boats\nboats.length() + 1";
    assert.equal(valueOf(await python(later, [], fakeContext({ variables }))), 13);
    assert.equal(valueOf(await python(later, ["boats==1.0"], fakeContext({ variables }))), 13);
    // Another server process has the stored variables and the same folder.
    assert.equal(valueOf(await pythonWith()(later, [], fakeContext({ variables }))), 13);
    assert.equal(requested.length, count, "installed once");
    assert.match(String(valueOf(await python(later, []))), /No module named 'boats'/);
  });

  test("are added to those of the conversation", async () => {
    const python = pythonWith();
    const variables = new VariableSystem();
    await python("1", ["boats==1.0"], fakeContext({ variables }));
    const both = "import boats, sails; [boats.length(), sails.area]";
    assert.deepEqual(valueOf(await python(both, ["sails"], fakeContext({ variables }))), [12, 30]);
    assert.deepEqual(variables.getVariable("Python_packages")?.value.data, ["boats==1.0", "sails"]);
  });

  test("cannot be changed by the code, which has no network", async () => {
    const code = `import boats, urllib.request
tried = []
for attempt in (lambda: open(boats.__file__, "a"), lambda: urllib.request.urlopen("${indexUrl}", timeout=2)):
    try:
        attempt()
        tried.append("done")
    except OSError as error:
        tried.append("refused")
tried`;
    assert.deepEqual(valueOf(await pythonWith()(code, ["boats==1.0"])), ["refused", "refused"]);
  });

  test("reach the configured index only", async () => {
    const other = createServer((_request, response) => response.end(files.values().next().value));
    await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    let reached = false;
    other.on("request", () => (reached = true));
    const leading = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      const name = "away-1.0-py3-none-any.whl";
      response.end(`<a href="http://127.0.0.1:${port}/${name}">${name}</a>`);
    });
    await new Promise<void>((resolve) => void leading.listen(0, "127.0.0.1", resolve));
    try {
      const url = `http://127.0.0.1:${(leading.address() as AddressInfo).port}/simple/`;
      const result = await pythonWith({ url })("1", ["away"]);
      assert.ok(isToolError(result) && result.code === "packages_not_installed");
      assert.equal(reached, false);
    } finally {
      leading.close();
      other.close();
    }
  });

  test("come from an index with a password that neither the code nor pip's output contains", async () => {
    const url = indexUrl.replace("http://", "http://ada:pass%23word@");
    const python = pythonWith({ url });
    const context = fakeContext();
    const code = `import boats, glob, os
seen = repr(dict(os.environ))
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    try: seen += open(path).read()
    except OSError: pass
["pass%2" + "3word" in seen, "PIP_IN" + "DEX" in seen]`;
    assert.deepEqual(valueOf(await python(code, ["boats"], context)), [false, false]);
    const sent = `Basic ${Buffer.from("ada:pass#word").toString("base64")}`;
    assert.equal(authorized.includes(sent), true);
    const missing = await python("1", ["no_such_package"], context);
    assert.ok(isToolError(missing));
    assert.doesNotMatch(JSON.stringify([context.progress, missing]), /pass(%23|#)word/);
  });

  test("must have a wheel, because building one would run its code", async () => {
    const result = await pythonWith()("1", ["oars"]);
    assert.ok(isToolError(result));
    assert.equal(result.code, "packages_not_installed");
    assert.match(result.message, /^Nothing was installed: .*oars/);
    assert.ok(readdirSync(environments).every((name) => !name.endsWith(".tmp")));
  });

  test("that the variable names are not installed, because nobody approved them", async () => {
    const variables = new VariableSystem();
    const packages = ["boats", "oars"];
    variables.addVariable("Python_packages", { text: "", data: packages }, "LLMAdd");
    const result = await pythonWith()("1", [], fakeContext({ variables }));
    assert.ok(isToolError(result) && result.code === "packages_missing");
    assert.match(result.message, /boats, oars\. Name them in packages/);
    assert.equal(valueOf(await pythonWith()("1", ["boats==1.0"], fakeContext({ variables }))), 1);
    assert.deepEqual(variables.getVariable("Python_packages")?.value.data, ["boats==1.0"]);
  });

  test("are not shared with other users", async () => {
    const variables = new VariableSystem();
    await pythonWith()("1", ["boats==1.0"], fakeContext({ variables }));
    const other = { ...fakeContext({ variables }), principal: { id: "other" } };
    const result = await pythonWith()("1", [], other);
    assert.ok(isToolError(result) && result.code === "packages_missing");
  });

  test("without pip, name what the machine needs", async () => {
    const standIn = join(folder, "bin", "python3");
    mkdirSync(join(folder, "bin"));
    // A Python that is asked for pip or ensurepip has neither.
    const script = `#!/bin/sh
case "$*" in
  *"import sys;"*) echo ${standIn}; echo 3.99.0; echo /usr; echo ${join(folder, "bin")} ;;
  *) exit 1 ;;
esac
`;
    writeFileSync(standIn, script);
    chmodSync(standIn, 0o755);
    const result = await pythonWith({ python: standIn })("1", ["boats"]);
    assert.ok(isToolError(result));
    assert.match(result.message, /has no pip 22\.3 or newer.*python3-pip/);
  });

  test("are names of the index: options, paths and URLs are invalid arguments", async () => {
    const group = codeTools({
      sandbox: confined,
      find: () => "/usr/bin/python3",
      packages: { folder: environments, environment: {} },
    });
    const { check } = toolOf(group, "Python");
    for (const name of ["--pre", "./boats", "boats @ https://example.org/b.whl", "a\nb", ""]) {
      const problems = await check?.({ code: "1", packages: [name] });
      assert.match(
        problems?.join() ?? "",
        /packages\.0: expected a name of the package index/,
        name,
      );
    }
    assert.deepEqual(await check?.({ code: "1", packages: ["pandas[excel] >=2,<3"] }), []);
  });
});
