import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isToolError } from "@capstan/core";
import { findPythonInstallation } from "@capstan/sandbox";
import { confined, noSandbox, testFolder } from "@capstan/sandbox/testing";
import { approveAll, runFunction, scriptFile, testRunner } from "../testing/run-script.ts";
import type { Script } from "../definition/script-function.ts";
import { installEnvironment } from "./install-environment.ts";
import { pythonEnvironments } from "./python-environments.ts";

const folder = testFolder();
const environments = pythonEnvironments(join(folder, "data/environments"));
const runner = testRunner({
  environments,
  approvals: approveAll(),
  hidden: [join(folder, "data")],
});

function venvProblem(): string | false {
  try {
    execFileSync("/usr/bin/python3", ["-c", "import venv, ensurepip"], { stdio: "ignore" });
    return false;
  } catch {
    return "no /usr/bin/python3 with venv";
  }
}

const wheelName = "boats-1.0-py3-none-any.whl";

/** A plugin that requires a package, with the package's wheel, which is a zip file. */
function plugin(name: string, requirements: string, length = 12): Script {
  const home = join(folder, name);
  mkdirSync(home);
  const info = "boats-1.0.dist-info";
  const wheel = `import zipfile, sys
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("boats.py", "def length(): return ${length}\\n")
    wheel.writestr("${info}/METADATA", "Metadata-Version: 2.1\\nName: boats\\nVersion: 1.0\\n")
    wheel.writestr("${info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("${info}/RECORD", "")`;
  execFileSync("/usr/bin/python3", ["-c", wheel, join(home, wheelName)]);
  const source = `def measure():
    import boats
    return boats.length()

def change():
    import boats
    open(boats.__file__, "a")
`;
  return scriptFile(join(home, "main.py"), source, {
    "requirements.txt": requirements,
    [wheelName]: readFileSync(join(home, wheelName)),
  });
}

async function install(
  script: Script,
  options: {
    readonly signal?: AbortSignal;
    readonly environment?: { readonly [name: string]: string };
  } = {},
) {
  let output = "";
  const outcome = await installEnvironment({
    script,
    python: await findPythonInstallation("/usr/bin/python3"),
    environments,
    sandbox: confined,
    environment: options.environment ?? {},
    hidden: [join(folder, "data")],
    onOutput: (text) => (output += text),
    signal: options.signal ?? new AbortController().signal,
  });
  return { outcome, output };
}

const run = async (script: Script, name: string) => (await runFunction(runner, script, name)).value;

describe("the packages of a plugin", { skip: noSandbox || venvProblem() }, () => {
  // Contract: scripts-5
  test("are installed when a user requests it, with progress, and the plugin can read but not change them", async () => {
    const script = plugin("boats", "--no-index\n--find-links .\nboats==1.0 # ours\n");
    const before = await run(script, "measure");
    assert.ok(isToolError(before) && before.code === "packages_missing");
    assert.ok(before.message.endsWith(`: capstan scripts install ${join(folder, "boats")}`));
    assert.equal(existsSync(join(folder, "data/environments")), false);
    const { outcome, output } = await install(script);
    assert.equal(outcome.status, "installed", JSON.stringify(outcome) + output);
    assert.match(output, /Installing collected packages: boats/);
    assert.equal(await run(script, "measure"), 12);
    const changed = await run(script, "change");
    assert.match(isToolError(changed) ? changed.message : "", /Read-only file system/);
    assert.equal((await install(script)).outcome.status, "installed_before");
    const other = scriptFile(join(folder, "boats/main.py"), "def measure(): return 1", {
      "requirements.txt": "boats==2.0\n",
    });
    assert.ok(isToolError(await run(other, "measure")));
    assert.notEqual(other.contentHash, script.contentHash);
  });

  // Contract: scripts-7
  test("report a failed installation with a short advice and pip's whole output, and leave nothing", async () => {
    const script = plugin("more", "no-such-package-of-ours==1.0\n");
    const kept = readdirSync(join(folder, "data/environments"));
    const { outcome, output } = await install(script);
    assert.ok(outcome.status === "failed");
    assert.match(
      outcome.message,
      /^Nothing was installed: Could not find a version .*no-such-package-of-ours/,
    );
    assert.match(output, /Looking in|Retrying|Could not find a version/);
    assert.deepEqual(readdirSync(join(folder, "data/environments")), kept);
  });

  // Contract: scripts-8
  test("are never shared with other plugins if packages may come from the folder itself", async () => {
    const requirements = "--no-index\n--find-links .\nboats\n";
    const ours = plugin("ours", requirements);
    const theirs = plugin("theirs", requirements, 666);
    assert.equal((await install(theirs)).outcome.status, "installed");
    const found = await environments.find(ours, await findPythonInstallation("/usr/bin/python3"));
    assert.equal(found.status, "missing");
    assert.equal((await install(ours)).outcome.status, "installed");
    assert.equal(await run(ours, "measure"), 12);
    const wheel = readFileSync(join(folder, "theirs", wheelName));
    writeFileSync(join(folder, "ours", wheelName), wheel);
    const changed = await environments.find(
      { ...ours },
      await findPythonInstallation("/usr/bin/python3"),
    );
    assert.equal(changed.status, "missing");
  });

  // Contract: scripts-8
  test("are shared by all plugins with the same requirements if all come from the index", async () => {
    const python = await findPythonInstallation("/usr/bin/python3");
    const keys = ["one", "two"].map(async (name) => {
      const script = plugin(name, "boats==1.0 # ours\nships[sails]>=2; python_version > '3.8'\n");
      const found = await environments.find(script, python);
      return found.status === "missing" ? found.folder : found.status;
    });
    const [first, second] = await Promise.all(keys);
    assert.equal(first, second);
  });

  test("run none of their code while the address of the index contains a password", async () => {
    const environment = {
      PIP_INDEX_URL: "http://ada:sesame@127.0.0.1:9/simple",
      PIP_DEFAULT_TIMEOUT: "1",
    };
    const local = plugin("local", "--find-links .\nboats\n");
    const { outcome, output } = await install(local, { environment });
    assert.ok(outcome.status === "failed");
    assert.match(outcome.message, /contains a password.*Name only packages of the index/);
    assert.equal(output, "", "pip did not start");
    const built = plugin("built", "oars==1.0\n");
    // A source archive, whose setup.py would run, at the address of the index.
    const index = createServer((request, response) => {
      if (request.url?.endsWith(".gz") === true) return void response.end(archive);
      response.setHeader("content-type", "text/html");
      response.end('<a href="/files/oars-1.0.tar.gz">oars-1.0.tar.gz</a>');
    });
    const archive = execFileSync("/usr/bin/python3", [
      "-c",
      `import io, sys, tarfile
data = b"import os; raise SystemExit('RAN ' + str('PIP_INDEX_URL' in os.environ))"
with tarfile.open(fileobj=sys.stdout.buffer, mode="w|gz") as made:
    info = tarfile.TarInfo("oars-1.0/setup.py"); info.size = len(data)
    made.addfile(info, io.BytesIO(data))`,
    ]);
    await new Promise<void>((resolve) => void index.listen(0, "127.0.0.1", resolve));
    const { port } = index.address() as AddressInfo;
    try {
      const url = `http://ada:sesame@127.0.0.1:${port}/simple`;
      const failed = await install(built, { environment: { PIP_INDEX_URL: url } });
      assert.ok(failed.outcome.status === "failed");
      assert.match(failed.outcome.message, /oars/);
      assert.doesNotMatch(JSON.stringify(failed), /RAN|sesame/);
    } finally {
      index.close();
    }
  });

  // Contract: scripts-9
  test("are installed after the files of a killed installation are removed", async () => {
    const left = join(folder, "data/environments/abc.999999999-x.tmp");
    mkdirSync(left, { recursive: true });
    const busy = join(folder, `data/environments/abc.${process.ppid}-x.tmp`);
    mkdirSync(busy);
    await install(plugin("later", "--no-index\n--find-links .\nboats\n"));
    assert.deepEqual([left, busy].map(existsSync), [false, true]);
    rmdirSync(busy);
  });

  // Contract: scripts-5
  test("are not half installed if the installation is stopped", async () => {
    const script = plugin("slow", "--no-index\n--find-links .\nboats\n");
    const stop = new AbortController();
    const installing = install(script, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("stopped")), 100);
    await assert.rejects(installing, /stopped/);
    const found = await environments.find(script, await findPythonInstallation("/usr/bin/python3"));
    assert.equal(found.status, "missing");
    assert.ok(
      readdirSync(join(folder, "data/environments")).every((name) => !name.endsWith(".tmp")),
    );
  });

  // Contract: scripts-5
  test("are not required if the file is empty, or if a script has no folder of its own", async () => {
    const script = plugin("none", "\n# nothing yet\n");
    assert.equal((await install(script)).outcome.status, "none_needed");
    const alone = scriptFile(join(folder, "alone.py"), "def f(): return 1");
    assert.equal((await install(alone)).outcome.status, "none_needed");
  });
});
