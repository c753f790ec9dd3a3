import assert from "node:assert/strict";
import { test } from "node:test";
import type { Annotation } from "../model/annotation.ts";
import type { Message } from "../model/message.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { type ScriptedStep, ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool, type ToolOptions } from "../tool/define-tool.ts";
import { contentParts, toolError, withAnnotations, withText } from "../tool/return-value.ts";
import type { ToolExecutorOptions } from "../call/tool-executor.ts";
import type { ChainEvent } from "./journal/chain-event.ts";
import { runToolChain } from "./run-tool-chain.ts";
import type { ToolChainOptions } from "./options/tool-chain-options.ts";

const page = (url: string): Annotation => ({ type: "url_citation", url, title: "Page" });
const a = page("https://a.example");
const b = page("https://b.example");

async function play(
  options: Partial<ToolOptions<never, unknown, unknown>>,
  steps: readonly ScriptedStep[],
  more: Partial<ToolChainOptions> & { readonly gate?: ToolExecutorOptions } = {},
) {
  const { gate, ...chain } = more;
  const tool = defineTool({ ...reads, name: "Search", ...options });
  const events: ChainEvent[] = [];
  const model = new ScriptedModel(steps);
  const executor = executorWith([tool], gate);
  const onEvent = (event: ChainEvent) => void events.push(event);
  const running = runToolChain({ executor, model, contextMessages: [], onEvent, ...chain });
  return { events, model, result: await running.result };
}

const search = { calls: [{ name: "Search" }] };
/** The links that each message cites, with the cited text. */
const cited = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.role === "assistant" && message.annotations !== undefined
      ? [
          message.annotations.map(
            (one) =>
              one.type === "url_citation" && [one.url, message.content.slice(one.start, one.end)],
          ),
        ]
      : [],
  );

// Contract: plugins-79
test("the message after a result and its text's event cite the result's sources", async () => {
  const { events, result } = await play({ execute: () => withAnnotations("found", [a, b]) }, [
    search,
    "As https://b.example says.",
  ]);
  assert.deepEqual(cited(result.messages.toolChain), [
    [
      ["https://a.example", ""],
      ["https://b.example", "https://b.example"],
    ],
  ]);
  const ends = events.filter((event) => event.type === "item.end" && event.annotations);
  assert.equal(ends.length, 1);
  assert.deepEqual(result.toolCallHistory[0]?.result?.annotations, [a, b]);
});

test("a text before further calls cites only sources that it mentions, and the answer cites the rest", async () => {
  let calls = 0;
  const { result } = await play(
    { execute: () => (calls++ === 0 ? withAnnotations("found", [a, b]) : "more") },
    [
      search,
      { text: "From https://a.example.", calls: [{ name: "Search" }] },
      "Again https://a.example.",
    ],
  );
  assert.deepEqual(cited(result.messages.toolChain), [
    [["https://a.example", "https://a.example"]],
    [
      ["https://a.example", "https://a.example"],
      ["https://b.example", ""],
    ],
  ]);
});

test("sources come with data, text and parts; a failure has none", async () => {
  const returns = [
    { hits: 1 },
    withText({ hits: 1 }, "one hit"),
    contentParts([{ type: "text", text: "one hit" }]),
  ];
  for (const value of returns) {
    const { result } = await play({ execute: () => withAnnotations(value, [a]) }, [search, "x"]);
    assert.deepEqual(cited(result.messages.toolChain), [[["https://a.example", ""]]]);
  }
  const failure = toolError({ code: "no", message: "No." });
  const failed = await play({ execute: () => withAnnotations(failure, [a]) }, [search, "x"]);
  assert.deepEqual(cited(failed.result.messages.toolChain), []);
});

// Contract: plugins-80
test("a result with invalid sources is unusable, and its error names them", async () => {
  const wrong = { type: "url_citation", url: "javascript:alert(1)" } as const;
  const { result } = await play({ execute: () => withAnnotations("x", [wrong]) }, [search, "x"]);
  const [entry] = result.toolCallHistory;
  assert.equal(entry?.status, "error");
  assert.match(entry.result?.finalText ?? "", /annotation 0 is invalid at url/);
});

test("a final tool's message cites its sources at the tool's positions", async () => {
  const own = { ...a, start: 0, end: 4 };
  const { result } = await play(
    { final: true, execute: () => withAnnotations("Page says so.", [own, b]) },
    [search],
  );
  assert.deepEqual(cited(result.messages.toolChain), [
    [
      ["https://a.example", "Page"],
      ["https://b.example", ""],
    ],
  ]);
});

test("a resumed chain cites the results of the earlier process", async () => {
  const clientTools = [{ type: "function" as const, function: { name: "Local" } }];
  const calls = [{ name: "Search" }, { name: "Local" }];
  const tool = { execute: () => withAnnotations("found", [a]) };
  const first = await play(tool, [{ calls }], { clientTools });
  const state = JSON.parse(JSON.stringify(first.result.state)) as typeof first.result.state;
  const outputs = [{ callId: first.result.waiting[0]?.callId ?? "", output: "done" }];
  const then = await play(tool, ["From a."], { clientTools, resume: { state, outputs } });
  assert.deepEqual(cited(then.result.messages.toolChain), [[["https://a.example", ""]]]);
});

// Contract: plugins-80
test("a reviewed result keeps its sources only if it is released unchanged", async () => {
  const decisions = [
    { decision: "allow" },
    { decision: "redact", words: ["code"] },
    { decision: "withhold" },
  ] as const;
  const counts: number[] = [];
  for (const decision of decisions) {
    const { result } = await play(
      {
        permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
        execute: () => withAnnotations("a code", [a]),
      },
      [search, "Answer."],
      {
        gate: {
          approvals: {
            request: () => ({ decision: "allow" }),
            review: ({ annotations }) => {
              assert.deepEqual(annotations, [a], "the reviewer sees them");
              return decision.decision === "allow" ? { decision: "release" } : decision;
            },
          },
        },
      },
    );
    counts.push(cited(result.messages.toolChain).length);
  }
  assert.deepEqual(counts, [1, 0, 0]);
});
