import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, runToolChain, ToolExecutor } from "@capstan/core";
import { formNames, modelOfForm, type ProviderForm } from "../testing/provider-forms.ts";
import { vendorRules } from "../testing/vendor-rules/vendor-rules.ts";
import type { Fields } from "../testing/vendor-rules/rule-checks.ts";
import type { VendorAnswer } from "../testing/vendor-streams/vendor-answer.ts";
import { chunkedFetch, vendorStream } from "../testing/vendor-streams/vendor-stream.ts";

// Tests whole turns with unusual model output: every call gets a result, and each request follows
// the provider's rules.

interface Turn {
  readonly status: string;
  readonly calls: readonly string[];
  readonly ran: readonly unknown[];
  readonly bodies: readonly Fields[];
}

/** Runs a turn in which the model gives these answers in order. */
async function turn(form: ProviderForm, answers: readonly VendorAnswer[]): Promise<Turn> {
  const ran: unknown[] = [];
  const bodies: Fields[] = [];
  const executor = new ToolExecutor();
  const add = defineTool({
    name: "Add",
    description: "Adds.",
    parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    effects: "read",
    permission: { executionPolicy: "auto" },
    execute: (args) => (ran.push(args), "added"),
  });
  executor.registerToolGroup({ name: "sums", tools: [add] });
  executor.toggleGroupEnabled("sums", true);
  const model = modelOfForm(form, async (input, init) => {
    const answer = answers[bodies.length] ?? { text: "Done." };
    bodies.push(JSON.parse(init?.body as string) as Fields);
    const bytes = new TextEncoder().encode(vendorStream(form, answer));
    return chunkedFetch([bytes])(input, init);
  });
  const contextMessages = [{ role: "user", content: "Add." }] as const;
  const { status, toolCallHistory } = await runToolChain({ executor, model, contextMessages })
    .result;
  const calls = toolCallHistory.map((call) => `${call.toolName} ${call.status}`);
  return { status, calls, ran, bodies };
}

function assertValid(form: ProviderForm, bodies: readonly Fields[]): void {
  for (const [index, body] of bodies.entries())
    assert.deepEqual(vendorRules[form](body), [], `request ${index + 1}`);
}

const add = { name: "Add", arguments: '{"n":1}' };

interface OddTurn {
  readonly title: string;
  readonly answers: readonly VendorAnswer[];
  readonly calls: readonly string[];
  /** @default "completed" */
  readonly status?: string;
  /** Forms that cannot represent this turn, or in which it is an error. */
  readonly not?: readonly ProviderForm[];
}

const oddTurns: readonly OddTurn[] = [
  {
    title: "unknown tools, together with a known one",
    answers: [
      { calls: [{ name: "Ad", arguments: "{}" }, add, { name: "no such", arguments: "{}" }] },
    ],
    calls: ["Ad not_found", "Add success", "no_such not_found"],
  },
  {
    title: "a call without a name",
    answers: [{ calls: [{ name: "", arguments: "{}" }, add] }],
    calls: ["unnamed not_found", "Add success"],
    not: ["openai-chat", "openai-compatible"],
  },
  {
    title: "arguments that are not JSON, and missing arguments",
    answers: [
      { calls: [{ name: "Add", arguments: '{"n": 1,, ' }, { name: "Add", arguments: "" }, add] },
    ],
    calls: ["Add error", "Add error", "Add success"],
    not: ["google", "google-older"],
  },
  {
    title: "the same id in each round, and twice in one",
    answers: Array.from({ length: 3 }, () => ({
      calls: [
        { ...add, id: "same" },
        { ...add, id: "same" },
      ],
    })),
    calls: Array.from({ length: 6 }, () => "Add success"),
  },
  {
    title: "ids that are empty or invalid for every provider",
    answers: [
      {
        calls: [
          { ...add, id: "" },
          { ...add, id: "a b/ü" },
          { ...add, id: "x".repeat(300) },
        ],
      },
    ],
    calls: ["Add success", "Add success", "Add success"],
  },
  {
    title: "calls between texts",
    answers: [{ reasoning: "Hm", text: "First.", calls: [add], afterword: "That was it." }],
    calls: ["Add success"],
  },
  {
    title: "only reasoning, then an answer",
    answers: [{ reasoning: "Hm" }, { text: "Done." }],
    calls: [],
  },
  { title: "an empty answer, twice", answers: [{}, {}], calls: [], status: "error" },
];

for (const { title, answers, calls, status = "completed", not = [] } of oddTurns) {
  for (const form of formNames.filter((name) => !not.includes(name))) {
    test(`${form}: ${title}`, async () => {
      const done = await turn(form, answers);
      assertValid(form, done.bodies);
      assert.deepEqual([done.status, done.calls], [status, calls]);
      const successes = calls.filter((call) => call.endsWith("success")).length;
      assert.equal(done.ran.length, successes);
    });
  }
}

// Contract: model-messages-19
test("runs 64 of 200 calls in a round, and answers all of them", async (t) => {
  for (const form of formNames)
    await t.test(form, async () => {
      const many = Array.from({ length: 200 }, (_, n) => ({
        name: "Add",
        arguments: `{"n":${n}}`,
      }));
      const { status, calls, ran, bodies } = await turn(form, [{ calls: many }]);
      assertValid(form, bodies);
      assert.deepEqual([status, calls.length, ran.length], ["completed", 200, 64]);
    });
});

// Contract: model-messages-20
test("runs a call with 5 MB of arguments, and sends them back in full", async (t) => {
  for (const form of formNames)
    await t.test(form, async () => {
      const large = "x".repeat(5_000_000);
      const answer = { calls: [{ name: "Add", arguments: JSON.stringify({ n: 1, note: large }) }] };
      const { status, bodies } = await turn(form, [answer]);
      assertValid(form, bodies);
      assert.equal(status, "completed");
      assert.ok(JSON.stringify(bodies[1]).includes(large));
    });
});
