import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../../scripts/command.ts";
import { loadClient, skipReason } from "./installed.ts";
import { model, serve } from "./served.ts";

// The programs in examples/clients, with the packages of this folder and a scripted model.

const run = promisify(execFile);
const examples = join(root, "examples/clients");
const copies = join(root, "test/clients/node_modules/.examples");
const programs = (await readdir(examples)).filter((name) => name.endsWith(".js"));
const skip = skipReason(await loadClient("openai6"));

test("there is an example for each package", () => assert.equal(programs.length, 8));

for (const program of programs)
  test(`examples/clients/${program} prints the answer`, { skip }, async () => {
    await mkdir(copies, { recursive: true });
    const copy = join(copies, program);
    await copyFile(join(examples, program), copy);
    const { baseURL } = await serving;
    const environment = { ...process.env, CAPSTAN_URL: baseURL, CAPSTAN_MODEL: model };
    const { stdout } = await run(process.execPath, [copy], { env: environment });
    assert.equal(stdout.trim(), "Hello there.");
  });

const serving = serve({ answer: () => ({ say: ["Hello ", "there."] }) });
