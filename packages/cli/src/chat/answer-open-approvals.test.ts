import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@capstan/client";
import { plainStyle } from "../terminal/style.ts";
import { createFakeTerminal } from "../testing/fake-terminal.ts";
import { answerOpenApprovals } from "./answer-open-approvals.ts";

const { signal } = new AbortController();

/** A server with these pending approvals, newest first. */
function serverWith(pending: readonly object[]) {
  const answers: string[] = [];
  const client = createClient({
    url: "http://capstan",
    fetch: async (url, init) => {
      const path = String(url).slice("http://capstan".length);
      if (init?.body === undefined || init.body === null)
        return Response.json({ object: "list", data: pending, has_more: false, last_id: null });
      answers.push(`${path} ${init.body as string}`);
      const { decision } = JSON.parse(init.body as string) as { decision: string };
      return Response.json({ status: decision === "allow" ? "allowed" : "refused" });
    },
  });
  return { client, answers };
}

const approval = (id: string, more: object = {}) => ({
  object: "approval",
  kind: "execution",
  id,
  run: `run_of_${id}`,
  conversation: null,
  callId: "call_1",
  toolId: "toys.Append",
  toolName: "Append",
  groupTitle: "Toys",
  description: "Writes a line.",
  reason: "It writes.",
  args: { line: id },
  status: "pending",
  ...more,
});

test("the user is asked about the calls of all programs, the oldest first", async () => {
  const corrupt = { object: "corrupt", id: "x", error: { code: "", message: "" } };
  const { client, answers } = serverWith([
    approval("newer", { program: "codex" }),
    corrupt,
    approval("older"),
  ]);
  const terminal = createFakeTerminal([{ answer: "y" }, { answer: "n no" }]);
  await answerOpenApprovals({ client, terminal, style: plainStyle, signal });
  assert.deepEqual(
    answers.map((line) => line.replace(/"reason":"[^"]*"/, '"reason"')),
    [
      '/v1/approvals/older {"decision":"allow","scope":"once"}',
      '/v1/approvals/newer {"decision":"refuse","reason"}',
    ],
  );
  assert.match(terminal.text(), /Append needs.*Append, called by codex, needs/s);
});

test("without a terminal the requests are listed, and not answered", async () => {
  const { client, answers } = serverWith([approval("one", { program: "zed" })]);
  const terminal = createFakeTerminal([], false);
  await answerOpenApprovals({ client, terminal, style: plainStyle, signal });
  assert.match(terminal.text(), /Append, called by zed, needs.*run_of_one/s);
  assert.deepEqual(answers, []);
  const none = createFakeTerminal([]);
  await answerOpenApprovals({
    client: serverWith([]).client,
    terminal: none,
    style: plainStyle,
    signal,
  });
  assert.match(none.text(), /No call needs/);
});
