import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { call, toolOf } from "@capstan/core/testing";
import { openScripts } from "./open-scripts.ts";

const folder = await mkdtemp(join(tmpdir(), "capstan-open-"));
after(() => rm(folder, { recursive: true }));

test("an unusable data directory is an error with a remedy", async () => {
  const dataDir = join(folder, "a-file");
  await writeFile(dataDir, "");
  const configuration = {
    dataDir,
    acceptedDir: dataDir,
    roots: [],
    settingsFile: join(folder, "none.json"),
    scripts: { folders: [] },
  };
  await assert.rejects(openScripts({ configuration, reserved: [] }), {
    code: "data_directory_unwritable",
    message: /cannot be created.*choose another with --data DIR/,
  });
});

test("each problem of a file is reported once, with its position", async () => {
  const tools = join(folder, "tools");
  await mkdir(tools);
  await writeFile(join(tools, "a.ps1"), "function A {");
  const lines: string[] = [];
  const configuration = {
    dataDir: join(folder, "data"),
    acceptedDir: join(folder, "data"),
    roots: [],
    settingsFile: join(folder, "none.json"),
    scripts: { folders: [tools] },
  };
  const scripts = await openScripts({
    configuration,
    reserved: [],
    watch: false,
    log: (line) => void lines.push(line),
  });
  await scripts.library.refresh();
  await scripts.close();
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /a\.ps1:1: error: A \{ is opened here and never closed\.$/);
});

test("a script gets the values of the configuration that its approval names, and no others", async () => {
  const tools = join(folder, "valued");
  await mkdir(tools);
  const source = `import os
TOOL_CONFIG = {"secrets": ["REGION"]}

def show() -> list:
    """Shows values."""
    return [os.environ.get("REGION"), os.environ.get("OTHER")]
`;
  await writeFile(join(tools, "valued.py"), source);
  const configuration = {
    dataDir: join(folder, "valued-data"),
    acceptedDir: join(folder, "valued-data"),
    roots: [],
    settingsFile: join(folder, "none.json"),
    scripts: { folders: [tools], environment: { REGION: "eu", OTHER: "hidden" } },
  };
  const scripts = await openScripts({ configuration, reserved: [], watch: false });
  try {
    const [file] = scripts.library.files;
    scripts.approvals.approve(file?.script ?? assert.fail(JSON.stringify(scripts.library.files)));
    await scripts.library.refresh();
    const [group] = scripts.library.offered.groups;
    assert.ok(group);
    const returned = await call(toolOf(group, "show"), {});
    assert.match(JSON.stringify(returned), /\["eu",null\]/);
  } finally {
    await scripts.close();
  }
});

test("a stored value takes precedence, reaches the next call, and is unreadable with another secret key", async () => {
  const tools = join(folder, "stored");
  await mkdir(tools);
  const source = `import os
TOOL_CONFIG = {"secrets": ["REGION"]}

def show() -> str:
    """Shows a value."""
    return os.environ.get("REGION", "none")
`;
  await writeFile(join(tools, "stored.py"), source);
  const configuration = {
    dataDir: join(folder, "stored-data"),
    acceptedDir: join(folder, "stored-data"),
    roots: [],
    settingsFile: join(folder, "none.json"),
    scripts: { folders: [tools], environment: { REGION: "configured" } },
    secretKey: "a".repeat(32),
  };
  const lines: string[] = [];
  const open = (secretKey: string) =>
    openScripts({
      configuration: { ...configuration, secretKey },
      reserved: [],
      watch: false,
      log: (line) => void lines.push(line),
    });
  const scripts = await open(configuration.secretKey);
  const sourceOf = ({ listValues }: typeof scripts) => {
    const listed = listValues();
    assert.doesNotMatch(JSON.stringify(listed), /first|second|configured"/);
    return listed.map(({ name, source: from }) => `${name} ${from}`);
  };
  const show = async ({ library }: typeof scripts) => {
    const [group] = library.offered.groups;
    return JSON.stringify(await call(toolOf(group ?? assert.fail(), "show"), {}));
  };
  try {
    const [file] = scripts.library.files;
    scripts.approvals.approve(file?.script ?? assert.fail());
    await scripts.library.refresh();
    assert.match(await show(scripts), /configured/);
    assert.deepEqual(sourceOf(scripts), ["REGION configuration"]);
    scripts.values.set("REGION", "first");
    assert.match(await show(scripts), /first/);
    assert.deepEqual(sourceOf(scripts), ["REGION stored"]);
    scripts.values.set("REGION", "second");
    assert.match(await show(scripts), /second/);
    scripts.values.remove("REGION");
    assert.match(await show(scripts), /configured/);
    scripts.values.set("REGION", "first");
  } finally {
    await scripts.close();
  }
  const other = await open("b".repeat(32));
  try {
    assert.deepEqual(sourceOf(other), ["REGION unreadable"]);
    assert.match(await show(other), /value_unreadable.*REGION.*secret key has changed/);
    assert.match(lines.join(), /The value REGION for scripts cannot be read/);
    other.values.set("REGION", "second");
    assert.match(await show(other), /second/);
  } finally {
    await other.close();
  }
});
