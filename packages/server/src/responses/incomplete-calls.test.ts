import assert from "node:assert/strict";
import { test } from "node:test";
import { type ModelEvent, toolError } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, toyTools } from "../testing/app-fixtures.ts";
import { usage } from "../testing/run-script.ts";
import { tool } from "../testing/run-fixtures.ts";

const pay = { type: "function", name: "Pay", parameters: { type: "object" } };
const custom = { type: "custom", name: "Pay" };
const half = '{"to":"Ann","amount":1';

function cutIn(name: string, reason: "length" | "content_filter") {
  const events: readonly ModelEvent[] = [
    { type: "tool-call-start", id: "c1", name },
    { type: "tool-call-delta", id: "c1", delta: half },
    { type: "tool-call-end", id: "c1", name, arguments: half },
    { type: "finish", reason, usage },
  ];
  return { events };
}

interface Ended {
  readonly status: string;
  readonly incomplete_details: { readonly reason: string } | null;
  readonly output: readonly {
    readonly type: string;
    readonly status?: string;
    readonly error?: { readonly content: readonly { readonly text: string }[] };
  }[];
}

// Contract: responses-1
test("a call that a limit cut off is incomplete, and so is its response", async () => {
  for (const given of [pay, custom])
    for (const reason of ["length", "content_filter"] as const)
      for (const stream of [false, true]) {
        const model = new ScriptedModel([cutIn("Pay", reason), "Later."]);
        const { call, fetch } = createTestApp({ model });
        const body = { input: "Pay Ann.", tools: [given] };
        const ended = await respond(fetch, { ...body, stream });
        assert.equal(ended.status, "incomplete");
        const expected = reason === "length" ? "max_output_tokens" : "content_filter";
        assert.deepEqual(ended.incomplete_details, { reason: expected });
        const type = given === pay ? "function_call" : "custom_tool_call";
        assert.deepEqual(
          ended.output.map((item) => [item.type, item.status]),
          [[type, "incomplete"]],
        );
        // The next turn tells the model what happened.
        const { id } = ended as Ended & { readonly id: string };
        const next = await call("POST", "/v1/responses", {
          ...body,
          previous_response_id: id,
          input: "And?",
        });
        assert.equal(next.body.status, "completed");
        const shown = JSON.stringify(model.requests[1]?.messages);
        assert.match(shown, /incomplete_call.*cut off in the middle of the arguments of Pay/);
      }
});

// Contract: responses-1
test("a call of the server that a limit cut off never runs, and says why", async () => {
  const tools = [tool("Pay", () => assert.fail("it ran"))];
  const model = new ScriptedModel([cutIn("Pay", "length")]);
  const { fetch } = createTestApp({ model, tools });
  const ended = await respond(fetch, { input: "Pay Ann.", tools: toyTools });
  assert.equal(ended.status, "incomplete");
  const [item] = ended.output.filter(({ type }) => type === "mcp_call");
  assert.equal(item?.status, "incomplete");
  assert.match(item.error?.content[0]?.text ?? "", /it reached its limit.*was not run/);
});

// Contract: responses-1
test("a call that a limit cut off ends a chat completion with its finish reason", async () => {
  for (const reason of ["length", "content_filter"] as const) {
    const model = new ScriptedModel([cutIn("Pay", reason)]);
    const { call } = createTestApp({ model });
    const { status, body } = await call("POST", "/v1/chat/completions", {
      messages: [{ role: "user", content: "Pay Ann." }],
      tools: [{ type: "function", function: { name: "Pay" } }],
    });
    const [choice] = (body as unknown as { choices: { finish_reason: string }[] }).choices;
    assert.deepEqual([status, choice?.finish_reason], [200, reason]);
  }
});

async function respond(
  fetch: (request: Request) => Promise<Response>,
  body: { readonly input: string; readonly tools: readonly object[]; readonly stream?: boolean },
): Promise<Ended> {
  const response = await fetch(
    new Request("http://127.0.0.1/v1/responses", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  if (body.stream !== true) return (await response.json()) as Ended;
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  const last = JSON.parse(lines.at(-1)?.slice("data: ".length) ?? "{}") as {
    readonly type: string;
    readonly response: Ended;
  };
  assert.equal(last.type, "response.incomplete");
  return last.response;
}

test("the error of a failed or stopped call contains its output", async () => {
  const fails = tool("Fails", () =>
    toolError({ code: "code_failed", message: "It threw.", details: { output: "step 1\n" } }),
  );
  const hangs = tool("Hangs", (_args, { output, signal }) => {
    output.write("step 2\n");
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("stopped")));
    });
  });
  const model = new ScriptedModel([{ calls: [{ name: "Fails" }, { name: "Hangs" }] }, "Done."]);
  const { fetch } = createTestApp({ model, tools: [fails, { ...hangs, timeoutMs: 20 }] });
  const ended = await respond(fetch, { input: "Go.", tools: toyTools });
  const errors = ended.output.flatMap((item) =>
    item.type === "mcp_call" ? [item.error?.content[0]?.text] : [],
  );
  assert.equal(errors[0], "It threw.\n\nIt had printed:\nstep 1\n");
  assert.match(errors[1] ?? "", /was stopped after[^]*It had printed:\nstep 2\n/);
});
