import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallOutcomeBody, CallView, RunView } from "@capstan/contract";
import { createFakeTerminal } from "../testing/fake-terminal.ts";
import { ApiError, createClient } from "@capstan/client";
import { answerOpenOutcomes } from "./answer-outcome.ts";
import { plainStyle } from "../terminal/style.ts";

const { signal } = new AbortController();

/** A server with these runs, newest first, each with one call of unknown outcome. */
function serverWith(runs: readonly string[]) {
  const asked: string[] = [];
  const answer = (path: string, body: string | undefined): unknown => {
    asked.push(`${path} ${body ?? ""}`.trim());
    const [, run = ""] = /runs\/([^/?]+)/.exec(path) ?? [];
    const call = {
      id: `call_of_${run}`,
      name: "Pay",
      status: "outcome_unknown",
      argumentsText: "{}",
    };
    const found = body === undefined ? undefined : (JSON.parse(body) as CallOutcomeBody);
    if (found !== undefined) return { ...call, found: { answer: found.outcome } };
    const view = (id: string): Partial<RunView> => ({ id, created_at: 0, conversation: "conv_1" });
    const data: Partial<RunView | CallView>[] = run === "" ? runs.map(view) : [call as CallView];
    return { object: "list", data, has_more: false, last_id: null };
  };
  const client = createClient({
    url: "http://capstan",
    fetch: async (url, init) =>
      Response.json(answer(String(url).slice("http://capstan".length), init?.body?.toString())),
  });
  return { client, asked };
}

// Contract: durability-13
test("the user is asked about the unknown outcomes of all conversations, run by run", async () => {
  const { client, asked } = serverWith(["newer", "older"]);
  const terminal = createFakeTerminal([{ answer: "y" }, { answer: "n" }]);
  await answerOpenOutcomes({ client, terminal, style: plainStyle, signal });
  assert.deepEqual(asked, [
    "/v1/runs?outcome=unknown&limit=100",
    "/v1/runs/older/calls",
    '/v1/runs/older/calls/call_of_older/outcome {"outcome":"happened"}',
    "/v1/runs/newer/calls",
    '/v1/runs/newer/calls/call_of_newer/outcome {"outcome":"did_not_happen"}',
  ]);
  assert.match(terminal.text(), /1970-01-01 00:00 UTC, run older, in conv_1\n.*Did Pay happen/s);
});

test("without a terminal the unknown outcomes are listed, with the address for reporting them", async () => {
  const { client, asked } = serverWith(["one"]);
  const terminal = createFakeTerminal([], false);
  await answerOpenOutcomes({ client, terminal, style: plainStyle, signal });
  assert.match(terminal.text(), /run one.*outcome of Pay is unknown.*http:\/\/capstan/s);
  assert.equal(asked.length, 2);
});

test("a run with unreadable calls is reported, and the user is asked about the others", async () => {
  const { client, asked } = serverWith(["newer", "older"]);
  const terminal = createFakeTerminal([{ answer: "y" }]);
  const calls: typeof client.calls = async (run, given) => {
    if (run === "newer") return client.calls(run, given);
    throw new ApiError({ status: 500, code: "store_failed", message: "Corrupt." });
  };
  const corrupt = { ...client, calls };
  await answerOpenOutcomes({ client: corrupt, terminal, style: plainStyle, signal });
  assert.match(
    terminal.text(),
    /run older.*calls of this run cannot be read: Corrupt\..*run newer/s,
  );
  assert.match(asked.at(-1) ?? "", /call_of_newer.*happened/);
});

test("the command reports that no outcome is unknown", async () => {
  const terminal = createFakeTerminal([]);
  const { client } = serverWith([]);
  await answerOpenOutcomes({ client, terminal, style: plainStyle, signal });
  assert.match(terminal.text(), /The outcomes of all calls are known/);
});
