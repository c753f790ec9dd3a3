import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { runCommand } from "../command.ts";
import { packages } from "./packages.ts";
import { scratchTree } from "./testing/scratch-tree.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-arrows-"));
  for (const [path, text] of scratchTree(packages)) await write(path, text);
});

after(() => rm(folder, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

test("the command ends with 0 if there are no problems, and with 1 if there are", async () => {
  const clean = await runCommand(process.execPath, ["scripts/arrows/main.ts", folder]);
  assert.deepEqual([clean.code, clean.output], [0, ""]);
  await write("packages/core/src/base/b.ts", 'import { a } from "../json/a.ts";\n');
  await write("packages/core/dist/base/c.js", 'import { a } from "../json/a.ts";\n');
  const broken = await runCommand(process.execPath, ["scripts/arrows/main.ts", folder]);
  assert.equal(broken.code, 1);
  assert.match(broken.output, /^packages\/core\/src\/base\/b\.ts:1 imports json\/a\.ts: /);
  assert.match(broken.output, /\n1 problem\. /);
});

test("--print writes the table as a Markdown list", async () => {
  const { code, output } = await runCommand(process.execPath, [
    "scripts/arrows/main.ts",
    "--print",
  ]);
  assert.equal(code, 0);
  assert.match(output, /^- \*\*core\*\*: .* May import no other package\.\n {2}- `base`: /);
  assert.match(output, /\n- \*\*web\*\*: .* May import only client, contract \(types\), core\.\n/);
});
