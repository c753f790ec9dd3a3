import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
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
  const { mkdir } = await import("node:fs/promises");
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
  const { mkdir } = await import("node:fs/promises");
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
