import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { sourceCondition } from "../scripts/source-condition.ts";
import { bundled, command } from "./server-scripts.ts";
import {
  createServerFolder,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";

// Runs `capstan ask` as a script does.

let folder: ServerFolder;
let server: ServerProcess;

before(async () => {
  folder = await createServerFolder({ "notes.txt": "Buy milk\n", "table.csv": "a,b\n1,2\n" });
  server = await startServerProcess({ folder });
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

async function ask(flags: readonly string[], input: string | Buffer = "") {
  const main = bundled(command);
  const child = spawn(
    process.execPath,
    [sourceCondition, main, "ask", "--url", server.url, ...flags],
    {
      cwd: folder.work,
      stdio: "pipe",
      env: { PATH: process.env["PATH"], HOME: folder.work, TMPDIR: tmpdir() },
      timeout: 120_000,
    },
  );
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined).end(input);
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, stdout, stderr };
}

test("the answer goes to standard output as it is, everything else to standard error", async () => {
  const { code, stdout, stderr } = await ask(['/ViewFile {"path":"notes.txt"}']);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, "**ViewFile** returned:\n\n```\nBuy milk\n```\n");
  assert.match(stderr, /✓ ViewFile .*\n.* tokens in, /s);
});

test("with --json, the output is one object with the answer, the calls and the usage", async () => {
  const { code, stdout, stderr } = await ask(["--json", '/ViewFile {"path":"notes.txt"}']);
  assert.equal(code, 0, stderr);
  const { conversation, run, calls, usage, ...turn } = JSON.parse(stdout) as {
    readonly [name: string]: unknown;
  };
  assert.deepEqual(turn, {
    model: "capstan/offline",
    status: "completed",
    answer: "**ViewFile** returned:\n\n```\nBuy milk\n```",
    error: null,
  });
  assert.match(String(conversation), /^conv_/);
  assert.match(String(run), /^resp_/);
  const [{ id, ...call } = {}] = calls as readonly { readonly id?: string }[];
  assert.match(String(id), /^call_/);
  assert.deepEqual(call, {
    name: "ViewFile",
    arguments: { path: "notes.txt" },
    status: "succeeded",
  });
  assert.ok((usage as { readonly inputTokens: number }).inputTokens > 0);

  const next = await ask(["--json", "--conversation", String(conversation), "And now?"]);
  assert.match(next.stdout, /Your previous message was/);
});

test("text from a pipe follows the question, and files are attached", async () => {
  const flags = ["--json", "--file", "notes.txt", "--file", "table.csv", "--", "Compare", "these"];
  const { code, stdout, stderr } = await ask(flags, "one\ntwo\n");
  assert.equal(code, 0, stderr);
  const { run } = JSON.parse(stdout) as { readonly run: string };
  const response = await fetch(`${server.url}/v1/responses/${run}/input_items`);
  const { data } = (await response.json()) as {
    readonly data: readonly { readonly content: readonly { readonly [name: string]: string }[] }[];
  };
  const parts = data[0]?.content ?? [];
  assert.equal(parts[0]?.["text"], "Compare these\n\none\ntwo");
  assert.deepEqual(
    parts.map(({ type }) => type),
    ["input_text", "input_file", "input_file"],
  );
});

test("calls that need approval are denied in a pipe, and --yes allows them once", async () => {
  const call = '/WriteFile {"path":"new.txt","content":"x"}';
  const denied = await ask(["--json", call]);
  assert.match(denied.stdout, /"status": "execution_rejected"/);
  assert.match(denied.stderr, /WriteFile needs approval/);
  const allowed = await ask(["--json", "--yes", call]);
  assert.match(allowed.stdout, /"name": "WriteFile",.*"status": "succeeded"/s);
});

test("invalid input ends with 2, a failed turn with 1, and both say why", async () => {
  const none = await ask([]);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /There is no question/);
  const binary = await ask(["What is this?"], Buffer.from([0xff, 0xfe, 0x00]));
  assert.equal(binary.code, 2);
  assert.match(binary.stderr, /not UTF-8 text.*--file/);
  const two = await ask(["--continue", "--conversation", "conv_1", "Hello"]);
  assert.equal(two.code, 2);
  assert.match(two.stderr, /--continue or --conversation, not both/);
  const missing = await ask(["--file", "missing.pdf", "Read it"]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /missing\.pdf cannot be attached: ENOENT/);
  const failed = await ask(["--model", "openai/none", "--json", "Hello"]);
  assert.equal(failed.code, 1);
  assert.equal(failed.stdout, "", "no turn began");
  assert.match(failed.stderr, /openai\/none/);
});
