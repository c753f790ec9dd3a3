import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sourceCondition } from "../scripts/source-condition.ts";
import {
  createServerFolder,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";
import { bundled, command } from "./server-scripts.ts";

// Tests `capstan chat` in scripts: each input line is a message.

const messages = ["/DateTime {}", "Good morning", '/ListFiles {"path":"."}', "/ListVars {}"];
const answers = [/^\*\*DateTime\*\* returned:/m, /offline model/, /^notes\.txt$/m, /ListFiles_2 /];

let folder: ServerFolder;
let server: ServerProcess;

before(async () => {
  folder = await createServerFolder({
    "messages.txt": messages.join("\n"),
    "failing.txt": "Hello\n/model capstan/offline\n/DateTime\n",
  });
  server = await startServerProcess({ folder });
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

interface Chat {
  /** Standard input: a file, or lines for a pipe. */
  readonly input: FileHandle | readonly string[];
  readonly flags?: readonly string[];
}

/**
 * Runs a chat to its end. A pipe gets its first line at once, and all others in one chunk after the
 * first answer, when the chat waits for a line.
 */
async function runChat({ input, flags = [] }: Chat) {
  const main = bundled(command);
  const args = [sourceCondition, main, "chat", "--url", server.url, ...flags];
  const child = spawn(process.execPath, args, {
    cwd: folder.work,
    stdio: ["fd" in input ? input.fd : "pipe", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: folder.work, TMPDIR: tmpdir() },
    timeout: 120_000,
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    const isAnswered = / tokens in, /.test(stderr);
    if (!("fd" in input) && isAnswered && child.stdin?.writable)
      child.stdin.end(`${input.slice(1).join("\n")}\n`);
  });
  if (!("fd" in input)) child.stdin?.write(`${input[0]}\n`);
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, stdout, stderr };
}

function assertAnswers(stdout: string): void {
  for (const answer of answers) assert.match(stdout, answer);
  const places = answers.map((answer) => stdout.search(answer));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
}

test("chat answers each line of a file in order and exits with 0", async () => {
  for (let time = 0; time < 3; time++) {
    await using input = await open(join(folder.work, "messages.txt"));
    const { code, stdout, stderr } = await runChat({ input });
    assert.equal(code, 0, stderr);
    assertAnswers(stdout);
  }
});

test("chat answers each of several lines that arrive together", async () => {
  const { code, stdout, stderr } = await runChat({ input: messages });
  assert.equal(code, 0, stderr);
  assertAnswers(stdout);
});

test("a failed turn leads to exit code 1, and the following lines are still answered", async () => {
  await using input = await open(join(folder.work, "failing.txt"));
  const flags = ["--model", "openai/none"];
  const { code, stdout, stderr } = await runChat({ input, flags });
  assert.equal(code, 1, stderr);
  assert.match(stdout, /^\*\*DateTime\*\* returned:/m);
});
