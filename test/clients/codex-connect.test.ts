import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import type { ApprovalView, CallView } from "@capstan/contract";
import { terminalKeyFile } from "@capstan/server";
import { root } from "../../scripts/command.ts";
import { sourceCondition } from "../../scripts/source-condition.ts";
import type { ChatRequest, UpstreamAnswer } from "../upstream.ts";
import { type Codex, codexSkip, createCodex } from "./codex-process.ts";
import { model, type Served, serve } from "./served.ts";

/* Codex uses the tools of a server that `capstan connect codex` has connected. */

const skip = codexSkip;

/** Calls `Append` of the connected server, and then answers with the result. */
function append({ messages, tools = [] }: ChatRequest): UpstreamAnswer {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
  const result = since.find(({ role }) => role === "tool");
  if (result !== undefined) return { say: [`It said: ${String(result.content)}`] };
  const name = tools.map((tool) => tool.function.name).find((each) => /capstan.*Append/.test(each));
  return name === undefined
    ? { say: [`no such tool: ${tools.map((tool) => tool.function.name).join(", ")}`] }
    : { calls: [{ name, arguments: '{"line":"from codex"}' }] };
}

/** Runs `capstan connect codex` as a user of the server's machine. */
async function connect({ folder, baseURL }: Served, { home }: Codex, ...flags: readonly string[]) {
  const main = join(root, "packages/cli/src/main.ts");
  const args = ["connect", "codex", "--data", folder.data, ...flags];
  const url = flags.includes("--undo") || flags.includes("--check") ? [] : ["--url", baseURL];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [sourceCondition, main, ...args, ...url],
    {
      cwd: folder.work,
      env: { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home },
    },
  );
  return stdout;
}

/** Pairs a browser with the server, and returns its requests. */
async function pairedBrowser({ folder, baseURL }: Served) {
  const { origin, port } = new URL(baseURL);
  const terminal = await readFile(terminalKeyFile(folder.data, Number(port)), "utf8");
  const json = { "Content-Type": "application/json" };
  const send = async (method: string, path: string, headers: object, body?: object) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { ...json, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const asTerminal = { Authorization: `Bearer ${terminal}` };
  const { code } = (await (await send("POST", "/v1/pairings", asTerminal, {})).json()) as {
    code: string;
  };
  const opened = await send("POST", "/v1/sessions", {}, { code });
  const { anti_forgery_token: token } = (await opened.json()) as { anti_forgery_token: string };
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? assert.fail();
  const headers = { cookie, "x-csrf-token": token };
  return {
    get: async <T>(path: string) => (await (await send("GET", path, headers)).json()) as T,
    /** Waits for an approval request of a program. */
    async pending(): Promise<ApprovalView> {
      for (;;) {
        const path = "/v1/approvals?status=pending";
        const { data } = await this.get<{ data: readonly ApprovalView[] }>(path);
        if (data[0] !== undefined) return data[0];
        await setTimeout(40);
      }
    },
    async allow({ id }: ApprovalView): Promise<void> {
      const { status } = await send("POST", `/v1/approvals/${id}`, headers, { decision: "allow" });
      assert.equal(status, 200);
    },
    /** Waits for the end of the call of an approval request. */
    async settledCall({ run }: ApprovalView): Promise<CallView> {
      for (;;) {
        const { data } = await this.get<{ data: readonly CallView[] }>(`/v1/runs/${run}/calls`);
        const [call] = data;
        if (call?.status === "succeeded") return call;
        await setTimeout(40);
      }
    },
  };
}

test("Codex: a call of a connected server, which a paired user approves", { skip }, async () => {
  const served = await serve({ tools: "toys", answer: append });
  const codex = await createCodex({ baseURL: served.baseURL, model });
  const before = await readFile(join(codex.home, "config.toml"), "utf8");
  await connect(served, codex, "--yes");
  assert.match(await connect(served, codex, "--check"), /tools +ok/);
  const browser = await pairedBrowser(served);
  const running = codex.exec("Append a line.");
  const approval = await browser.pending();
  assert.equal(approval.program, "codex");
  await browser.allow(approval);
  const { answer, actions, failures } = await running;
  assert.deepEqual(failures, []);
  assert.deepEqual(actions, ["mcp_tool_call completed"]);
  assert.match(answer ?? "", /recorded from codex/);
  assert.deepEqual(await served.ledger(), ["from codex"]);
  const call = await browser.settledCall(approval);
  assert.match(JSON.stringify(call), /recorded from codex/);
  await connect(served, codex, "--undo", "--yes");
  const after = await readFile(join(codex.home, "config.toml"), "utf8");
  assert.doesNotMatch(after, /mcp_servers\.capstan|capstan-program/);
  // Codex may have added settings of its own.
  assert.ok(after.includes(before.trimEnd()), after);
});

test("Codex is killed while its call waits; the next Codex gets the result", { skip }, async () => {
  const served = await serve({ tools: "toys", answer: append });
  const codex = await createCodex({ baseURL: served.baseURL, model });
  await connect(served, codex, "--yes");
  const browser = await pairedBrowser(served);
  const waiting = browser.pending();
  await codex.execUntil(waiting, "Append a line.");
  const approval = await waiting;
  await browser.allow(approval);
  await browser.settledCall(approval);
  const { answer, failures } = await codex.exec("Append a line.");
  assert.deepEqual(failures, []);
  assert.match(answer ?? "", /recorded from codex/);
  assert.deepEqual(await served.ledger(), ["from codex"]);
});
