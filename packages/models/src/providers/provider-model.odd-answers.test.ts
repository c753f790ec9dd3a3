import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelEvent } from "@capstan/core";
import { type Collected, collectEvents, textOf } from "../testing/collect-events.ts";
import { formNames, modelOfForm, type ProviderForm } from "../testing/provider-forms.ts";
import {
  sse,
  type VendorAnswer,
  type VendorCall,
} from "../testing/vendor-streams/vendor-answer.ts";
import { chunkedFetch, vendorStream } from "../testing/vendor-streams/vendor-stream.ts";

const forms = formNames.filter((name) => name !== "google-older");

function answered(form: ProviderForm, body: string): Promise<Collected> {
  return collectEvents(modelOfForm(form, chunkedFetch([new TextEncoder().encode(body)])));
}

/**
 * Returns the calls of a stream, and checks that each starts once and ends once with the streamed
 * arguments.
 */
function wholeCalls(events: readonly ModelEvent[]): readonly VendorCall[] {
  const open = new Map<string, { name: string; streamed: string }>();
  const calls: VendorCall[] = [];
  for (const event of events) {
    if (event.type === "tool-call-start") {
      assert.ok(
        !open.has(event.id) && calls.every(({ id }) => id !== event.id),
        `twice: ${event.id}`,
      );
      open.set(event.id, { name: event.name, streamed: "" });
    } else if (event.type === "tool-call-delta") {
      const call = open.get(event.id);
      assert.ok(call, `a delta without a call: ${event.id}`);
      call.streamed += event.delta;
    } else if (event.type === "tool-call-end") {
      const { id, name, arguments: args } = event;
      assert.deepEqual(open.get(id), { name, streamed: args });
      open.delete(id);
      calls.push({ id, name, arguments: args });
    }
  }
  assert.deepEqual([...open.keys()], [], "calls without an end");
  return calls;
}

function namesAndArguments(calls: readonly VendorCall[]): readonly VendorCall[] {
  return calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
}

interface OddAnswer extends VendorAnswer {
  readonly title: string;
  /** Forms that cannot represent this answer. */
  readonly not?: readonly ProviderForm[];
}

const large = "x".repeat(5_000_000);
const oddAnswers: readonly OddAnswer[] = [
  { title: "an unknown tool", calls: [{ name: "NoSuchTool", arguments: "{}" }] },
  {
    title: "arguments that are not JSON",
    calls: [{ name: "A", arguments: '{"a": 1, oops' }],
    not: ["google"],
  },
  {
    title: "no arguments at all",
    calls: [{ name: "A", arguments: "" }],
    not: ["google", "anthropic"],
  },
  {
    title: "200 calls",
    calls: Array.from({ length: 200 }, (_, n) => ({ name: `T${n}`, arguments: `{"n":${n}}` })),
  },
  {
    title: "the same id three times",
    calls: ["1", "2", "3"].map((n) => ({ id: "same", name: "A", arguments: `{"n":${n}}` })),
  },
  {
    title: "empty ids",
    calls: ["1", "2"].map((n) => ({ id: "", name: "A", arguments: `{"n":${n}}` })),
  },
  { title: "5 MB of arguments", calls: [{ name: "A", arguments: `{"text":"${large}"}` }] },
  {
    title: "calls between words",
    text: "First.",
    calls: [{ name: "A", arguments: "{}" }],
    afterword: "After.",
  },
  { title: "nothing at all" },
];

for (const { title, not = [], ...answer } of oddAnswers) {
  for (const form of forms.filter((name) => !not.includes(name))) {
    test(`${form}: ${title}`, async () => {
      const { events, error } = await answered(form, vendorStream(form, answer));
      assert.equal(error, undefined);
      assert.deepEqual(
        namesAndArguments(wholeCalls(events)),
        namesAndArguments(answer.calls ?? []),
      );
      assert.equal(textOf(events), `${answer.text ?? ""}${answer.afterword ?? ""}`);
      const last = events.at(-1);
      assert.equal(last?.type === "finish" && last.reason, answer.calls ? "tool_calls" : "stop");
    });
  }
}

/** Returns a body with the given finish reason in the form's syntax. */
function endedBy(form: ProviderForm, body: string, how: "length" | "filter"): string {
  const isLength = how === "length";
  switch (form) {
    case "anthropic":
      return body.replace(
        /"stop_reason":"\w+"/,
        `"stop_reason":"${isLength ? "max_tokens" : "refusal"}"`,
      );
    case "google":
    case "google-older":
      return body.replace('"STOP"', isLength ? '"MAX_TOKENS"' : '"SAFETY"');
    case "openai-responses":
      return body
        .replace(/event: response.output_item.done\n.*\n\n(?=event: response.completed)/, "")
        .replaceAll("response.completed", "response.incomplete")
        .replace(
          '"response":{"usage"',
          `"response":{"incomplete_details":{"reason":"${isLength ? "max_output_tokens" : "content_filter"}"},"usage"`,
        );
    case "openai-chat":
    case "openai-compatible":
      return body.replace(
        /"finish_reason":"\w+"/,
        `"finish_reason":"${isLength ? "length" : "content_filter"}"`,
      );
  }
}

const error = { message: "The engine room is on fire", type: "server_error", code: 500 };
const brokenOff: { readonly [form in Exclude<ProviderForm, "google-older">]: object } = {
  "openai-responses": {
    type: "response.failed",
    sequence_number: 3,
    response: { id: "r", error: { code: "server_error", message: error.message }, usage: null },
  },
  "openai-chat": { error },
  "openai-compatible": { error },
  anthropic: { type: "error", error: { type: "api_error", message: error.message } },
  google: { error: { code: 500, status: "INTERNAL", message: error.message } },
};

// Contract: model-messages-15
test("reports an error within the stream as the provider's, and ends no call", async (t) => {
  for (const form of forms)
    await t.test(form, async () => {
      const whole = vendorStream(form, { text: "Hello", calls: [{ name: "A", arguments: "{}" }] });
      const begun = whole.split("\n\n").slice(0, -4).join("\n\n");
      const body = `${begun}\n\n${sse(brokenOff[form])}`;
      const { events, error: failure } = await answered(form, body);
      assert.equal(failure?.code, "server");
      assert.match(failure.message, /engine room is on fire/);
      assert.ok(events.every(({ type }) => type !== "tool-call-end" && type !== "finish"));
    });
});

// Contract: model-messages-16
test("reports an invalid stream as an error, never as an empty answer", async (t) => {
  for (const form of forms)
    await t.test(form, async () => {
      const plain = JSON.stringify({
        choices: [{ message: { role: "assistant", content: "Hi" } }],
      });
      const bodies = [
        "",
        plain,
        "<html>Welcome</html>",
        "data: [DONE]\n\n",
        "data: {oops\n\n",
        "data: 5\n\n",
      ];
      for (const body of bodies) {
        const { events, error: failure } = await answered(form, body);
        assert.match(String(failure?.code), /^(?:connection|server)$/, body);
        assert.deepEqual(
          events.filter(({ type }) => type !== "retry"),
          [],
          body,
        );
      }
    });
});

// Contract: model-messages-17
test("ignores comments and blank lines", async (t) => {
  for (const form of forms)
    await t.test(form, async () => {
      const body = vendorStream(form, { text: "Hello" }).replaceAll("\n\n", "\n\n: ping\n\n\n\n");
      const { events, error: failure } = await answered(form, body);
      assert.deepEqual([textOf(events), failure], ["Hello", undefined]);
    });
});

// Contract: model-messages-18
test("retries a call without a name in Chat Completions as a server error", async (t) => {
  for (const form of ["openai-chat", "openai-compatible"] as const)
    await t.test(form, async () => {
      const body = vendorStream(form, { calls: [{ name: "", arguments: "{}" }] });
      const { events, error: failure } = await answered(form, body);
      assert.equal(failure?.code, "server");
      assert.match(failure.message, /function\.name/);
      assert.deepEqual(
        events.map(({ type }) => type),
        ["retry", "retry"],
      );
    });
});

// Contract: model-messages-18
test("reports a call without a name as a call of an unknown tool in the other forms", async (t) => {
  for (const form of ["openai-responses", "anthropic", "google"] as const)
    await t.test(form, async () => {
      const body = vendorStream(form, { calls: [{ name: "", arguments: "{}" }] });
      const { events } = await answered(form, body);
      assert.deepEqual(namesAndArguments(wholeCalls(events)), [{ name: "", arguments: "{}" }]);
    });
});

// Contract: model-messages-14
test("reports that a limit or a filter ended a text", async (t) => {
  for (const [form, how] of forms.flatMap(
    (form) =>
      [
        [form, "length"],
        [form, "filter"],
      ] as const,
  ))
    await t.test(`${form}, ${how}`, async () => {
      const { events } = await answered(
        form,
        endedBy(form, vendorStream(form, { text: "Hel" }), how),
      );
      const last = events.at(-1);
      assert.equal(textOf(events), "Hel");
      assert.equal(
        last?.type === "finish" && last.reason,
        how === "length" ? "length" : "content_filter",
      );
    });
});

// Contract: model-messages-14
test("reports a truncated call as incomplete", async (t) => {
  for (const [form, how] of forms
    .filter((name) => name !== "google")
    .flatMap(
      (form) =>
        [
          [form, "length"],
          [form, "filter"],
        ] as const,
    ))
    await t.test(`${form}, ${how}`, async () => {
      for (const args of ["", '{"path"', '{"path":"/a']) {
        const body = vendorStream(form, { calls: [{ name: "Delete", arguments: args }] });
        const { events } = await answered(form, endedBy(form, body, how));
        const ends = events.filter((event) => event.type === "tool-call-end");
        assert.equal(ends.length, 1);
        assert.deepEqual([ends[0]?.arguments, ends[0]?.incomplete], [args, true]);
      }
    });
});
