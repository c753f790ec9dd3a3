import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root, runCommand } from "../scripts/command.ts";
import { withSourceCondition } from "../scripts/source-condition.ts";
import { createServerFolder, startServerProcess } from "./server-process.ts";

const readme = await readFile(join(root, "README.md"), "utf8");
const programs = [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code);

async function run(program: string): Promise<string> {
  const args = ["--input-type=module-typescript", "--eval", program];
  const { code, output } = await runCommand(process.execPath, args, { env: withSourceCondition() });
  assert.equal(code, 0, output);
  return output;
}

test("the README's client gets an answer after a tool ran on the server", async () => {
  await using files = await createServerFolder();
  await using server = await startServerProcess({ folder: files });
  const program = programs.find((code) => code.includes("new OpenAI")) ?? "";
  assert.ok(program.includes("http://127.0.0.1:8787/v1"));
  const said = await run(program.replace("http://127.0.0.1:8787", server.url));
  assert.match(said, /notes\.txt/);
});

test("the README's library program prints its tool's result", async () => {
  const program = programs.find((code) => code.includes("runToolChain")) ?? "";
  assert.match(await run(program), /"metres":\s*12/);
});

test("the targets of the README's links exist", () => {
  const targets = [...readme.matchAll(/(?:\]\(|src(?:set)?=")([^)"#]+)/g)].map(([, to = ""]) => to);
  const missing = targets.filter((to) => !to.startsWith("http") && !existsSync(join(root, to)));
  assert.deepEqual(missing, []);
  assert.ok(targets.length > 10);
});
