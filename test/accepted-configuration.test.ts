import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ServerInfo } from "@capstan/contract";
import { findProgram } from "@capstan/sandbox";
import { sourceCondition } from "../scripts/source-condition.ts";
import { createApi } from "./api.ts";
import { createServerFolder, type ServerFolder, startServerProcess } from "./server-process.ts";
import { bundled, command } from "./server-scripts.ts";

/** Runs the command in the server's folder, without a terminal. */
function capstan({ work, data }: ServerFolder, ...args: readonly string[]) {
  const main = bundled(command);
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; out: string; err: string }>();
  const child = execFile(
    process.execPath,
    [sourceCondition, main, ...args, "--data", data],
    { cwd: work, env: { PATH: process.env["PATH"], TMPDIR: tmpdir() }, timeout: 30_000 },
    (_error, out, err) => resolve({ code: child.exitCode, out, err }),
  );
  child.stdin?.end();
  return promise;
}

/**
 * Starts a server whose offline model calls a tool. Returns the run's end state or its approval
 * request.
 */
async function callDateTime(
  folder: ServerFolder,
  flags: readonly string[] = [],
): Promise<{ readonly status: string; readonly output: string }> {
  await using server = await startServerProcess({ folder, flags });
  const api = createApi(server.url);
  const { id } = await api.createConversation();
  const run = await api.startTurn({ conversation: id, input: "/DateTime {}", groups: ["basic"] });
  for await (const { type } of api.events(run))
    if (type === "approval.requested" || type === "call.started")
      return { status: type, output: server.output() };
  return assert.fail("The run neither ended nor waited.");
}

const asking = { rules: [{ tool: "basic.*", execution: "ask-always" }] };
const allowing = '{"rules": [{"tool": "*", "execution": "auto"}] /* \u202e */}';

test("rules that program code loosened apply only after a user accepts them", async () => {
  await using folder = await createServerFolder({ "capstan.config.json": JSON.stringify(asking) });
  const file = join(folder.work, "capstan.config.json");
  assert.equal((await callDateTime(folder)).status, "approval.requested");

  await writeFile(file, allowing);
  const changed = await callDateTime(folder);
  assert.equal(changed.status, "approval.requested", "the accepted rules apply");
  assert.match(
    changed.output,
    /allows more than the accepted version \(rules: basic\.\*, rules: \*\)/,
  );

  const diff = await capstan(folder, "config", "diff");
  assert.equal(diff.code, 1);
  assert.match(diff.out, /\+\{"rules": \[\{"tool": "\*", "execution": "auto"\}\] \/\* ⟨U\+202E⟩/);
  const unanswered = await capstan(folder, "config", "accept");
  assert.equal(unanswered.code, 1, "without a terminal, changes remain unaccepted");
  assert.equal((await callDateTime(folder)).status, "approval.requested");

  const accepted = await capstan(folder, "config", "accept", "--yes");
  assert.equal(accepted.code, 0, accepted.err);
  assert.equal((await callDateTime(folder)).status, "call.started");
});

test("--accept-config accepts the current settings file once", async () => {
  await using folder = await createServerFolder({ "capstan.config.json": JSON.stringify(asking) });
  assert.equal((await callDateTime(folder)).status, "approval.requested");
  await writeFile(join(folder.work, "capstan.config.json"), allowing);
  assert.equal((await callDateTime(folder, ["--accept-config"])).status, "call.started");
  assert.equal((await callDateTime(folder)).status, "call.started");
});

test("only users with the right admin see a pending change, also while the server runs", async () => {
  await using folder = await createServerFolder({ "capstan.config.json": JSON.stringify(asking) });
  const keys = [{ name: "ann", key: "of-ann", rights: ["ask", "admin"] }, "bot:of-bot"];
  const environment = { CAPSTAN_API_KEYS: JSON.stringify(keys) };
  await using server = await startServerProcess({ folder, environment });
  const waits = async (key: string) => {
    const info = await createApi(server.url, key).request<ServerInfo>("GET", "/v1/capstan");
    return info.configuration_waits;
  };
  assert.deepEqual([await waits("of-ann"), await waits("of-bot")], [false, false]);
  await writeFile(join(folder.work, "capstan.config.json"), allowing);
  assert.deepEqual([await waits("of-ann"), await waits("of-bot")], [true, false]);
});

const terminal = findProgram("script");

/** Runs the command in a terminal, and types an answer to its first question. */
async function inTerminal({ work, data }: ServerFolder, args: readonly string[], answer: string) {
  const main = bundled(command);
  const words = [process.execPath, sourceCondition, main, ...args, "--data", data];
  const child = spawn(terminal ?? "", ["-qefc", words.join(" "), "/dev/null"], { cwd: work });
  let shown = "";
  let asked = false;
  for await (const chunk of child.stdout) {
    shown += String(chunk);
    if (!asked && shown.includes("[y/N]")) {
      asked = true;
      child.stdin.write(`${answer}\r`);
    }
    if (/^ {2}address /m.test(shown)) child.kill();
  }
  return shown;
}

test(
  "in a terminal serve shows what changed and asks",
  { skip: terminal === undefined && "There is no program `script`." },
  async () => {
    await using folder = await createServerFolder({
      "capstan.config.json": JSON.stringify(asking),
    });
    assert.equal((await callDateTime(folder)).status, "approval.requested");
    await writeFile(join(folder.work, "capstan.config.json"), allowing);
    const serve = ["serve", "--port", "0"];
    const refused = await inTerminal(folder, serve, "n");
    assert.match(
      refused,
      /⟨U\+202E⟩[^]*Accept it\? \[y\/N\][^]*last accepted configuration applies/,
    );
    assert.equal((await capstan(folder, "config", "diff")).code, 1);
    const accepted = await inTerminal(folder, serve, "y");
    assert.doesNotMatch(accepted, /last accepted configuration applies/);
    assert.equal((await capstan(folder, "config", "diff")).code, 0);
  },
);
