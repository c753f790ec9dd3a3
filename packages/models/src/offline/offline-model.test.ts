import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message, ModelEvent, ModelRequest, ToolDefinition } from "@capstan/core";
import fc from "fast-check";
import { countTokens, loadTokenizer } from "../tokens/count-tokens.ts";
import { countUsage, createOfflineModel } from "./offline-model.ts";

const model = createOfflineModel({ chunkDelayMs: 0 });

const listFiles: ToolDefinition = {
  type: "function",
  function: {
    name: "ListFiles",
    description: "Lists a folder. Hidden files are left out.",
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, depth: { type: "integer" } },
      required: ["path"],
    },
  },
};
const dateTime: ToolDefinition = {
  type: "function",
  function: { name: "DateTime", description: "The time." },
};
const tools = [listFiles, dateTime];

function user(content: string): Message {
  return { role: "user", content };
}

async function collect(
  messages: readonly Message[],
  settings: Partial<ModelRequest> = {},
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  const request = { messages, tools, ...settings };
  for await (const event of model.stream(request, AbortSignal.timeout(5_000))) events.push(event);
  return events;
}

async function answer(
  messages: readonly Message[],
  settings: Partial<ModelRequest> = {},
): Promise<string> {
  const events = await collect(messages, settings);
  return events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
}

function callsOf(events: readonly ModelEvent[]) {
  return events.filter((event) => event.type === "tool-call-end");
}

function turn(
  text: string,
  ...results: readonly (readonly [name: string, content: string])[]
): Message[] {
  return [
    user(text),
    {
      role: "assistant",
      content: "",
      tool_calls: results.map(([name], index) => ({
        id: `c${index}`,
        type: "function",
        function: { name, arguments: "{}" },
      })),
    },
    ...results.map(([name, content], index): Message => ({
      role: "tool",
      tool_call_id: `c${index}`,
      name,
      content,
    })),
  ];
}

test("answers a message without commands with an introduction, the enabled tools and examples", async () => {
  const text = await answer([user("Hello?")]);
  assert.match(text, /no AI/);
  assert.match(text, /`ListFiles`, `DateTime`/);
  assert.match(text, /- `\/ListFiles {"path":"\."}`\n- `\/DateTime`\n- `\/help`/);
});

test("quotes the previous message", async () => {
  const text = await answer([
    user("First words"),
    { role: "assistant", content: "…" },
    user("Second"),
  ]);
  assert.match(text, /Your previous message was “First words”/);
});

test("says that no tool is enabled", async () => {
  assert.match(await answer([user("Hello?")], { tools: [] }), /No tool is enabled/);
});

test("makes one call for each line, with unique ids and streamed arguments", async () => {
  const events = await collect([user('Please:\n/ListFiles {"path":"."}\n/DateTime\nthanks')]);
  const calls = callsOf(events);
  assert.deepEqual(
    calls.map(({ name, arguments: args }) => [name, args]),
    [
      ["ListFiles", '{"path":"."}'],
      ["DateTime", ""],
    ],
  );
  assert.equal(new Set(calls.map(({ id }) => id)).size, 2);
  const deltas = events.filter(
    (event) => event.type === "tool-call-delta" && event.id === calls[0]?.id,
  );
  assert.ok(deltas.length > 1);
  assert.equal(
    deltas.map((event) => (event.type === "tool-call-delta" ? event.delta : "")).join(""),
    '{"path":"."}',
  );
  assert.deepEqual(
    events.filter((event) => event.type === "finish").map(({ reason }) => reason),
    ["tool_calls"],
  );
});

test("streams the arguments as the user typed them, even if they are invalid", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "grapheme", maxLength: 60 }).filter((text) => !/[\r\n]/.test(text)),
      async (typed) => {
        const events = await collect([user(`/ListFiles ${typed}`)]);
        assert.equal(callsOf(events)[0]?.arguments, typed.trim());
        const streamed = events
          .map((event) => (event.type === "tool-call-delta" ? event.delta : ""))
          .join("");
        assert.equal(streamed, typed.trim());
      },
    ),
    { numRuns: 60 },
  );
});

test("accepts JSON on several lines", async () => {
  const events = await collect([user('/ListFiles {\n  "path": "."\n}\n/DateTime')]);
  assert.deepEqual(
    callsOf(events).map((call) => call.arguments),
    ['{\n  "path": "."\n}', ""],
  );
});

test("does not read the following lines into an unfinished object", async () => {
  const events = await collect([user('/ListFiles {"path":\n/DateTime')]);
  assert.deepEqual(
    callsOf(events).map((call) => call.arguments),
    ['{"path":', ""],
  );
});

test("runs nothing for an unknown name, and suggests similar names", async () => {
  const text = await answer([user("/ListFile {}\n/DateTime")]);
  assert.match(text, /tool `ListFile` is not enabled.*Similar names: `\/ListFiles`/);
  assert.match(text, /Nothing was run/);
});

test("calls an unknown tool if an exclamation mark follows its name", async () => {
  const events = await collect([user("/Nowhere! {}")]);
  assert.deepEqual(
    callsOf(events).map(({ name }) => name),
    ["Nowhere"],
  );
});

test("runs only the commands of the user's last message", async () => {
  const events = await collect([
    user("/DateTime"),
    { role: "assistant", content: "It is noon." },
    user("Thanks."),
  ]);
  assert.deepEqual(callsOf(events), []);
});

test("runs the lines after /then when the earlier calls have ended", async () => {
  const text = "/DateTime\n/then\n/ListFiles {}";
  assert.deepEqual(
    callsOf(await collect([user(text)])).map(({ name }) => name),
    ["DateTime"],
  );
  assert.deepEqual(
    callsOf(await collect(turn(text, ["DateTime", "noon"]))).map(({ name }) => name),
    ["ListFiles"],
  );
});

test("runs the lines in sequence if parallel calls are disabled", async () => {
  const settings = { parallelToolCalls: false };
  const text = "/DateTime\n/ListFiles {}";
  assert.deepEqual(
    callsOf(await collect([user(text)], settings)).map(({ name }) => name),
    ["DateTime"],
  );
  assert.deepEqual(
    callsOf(await collect(turn(text, ["DateTime", "noon"]), settings)).map(({ name }) => name),
    ["ListFiles"],
  );
});

test("quotes an excerpt of a result and names its variable", async () => {
  const whole = Array.from({ length: 40 }, (_, line) => `file-${line}.txt`).join("\n");
  const text = await answer(
    turn("/ListFiles {}", ["ListFiles", `${whole}\n\n[Stored as ListFiles_3]`]),
  );
  assert.match(text, /\*\*ListFiles\*\* returned \(first lines\):\n\n```\nfile-0\.txt\n/);
  assert.doesNotMatch(text, /file-30/);
  assert.match(text, /stored as `ListFiles_3`/);
});

test("names the variable of a truncated result", async () => {
  const hint =
    '[Omitted: 9 of 99 characters, from 50 to 59. Read on: ReadVar({"name":"ListFiles_1"}). Pass the full value to a tool: $VAR_REF{{ListFiles_1}}]';
  assert.match(
    await answer(turn("/ListFiles {}", ["ListFiles", `one\n\n${hint}`])),
    /stored as `ListFiles_1`/,
  );
});

test("reports errors and refusals together with successes", async () => {
  const text = await answer(
    turn(
      "/ListFiles {}",
      ["ListFiles", "Error (file_not_found): No folder x.\nmore"],
      ["DateTime", "The user denied this call: not now. It was not run."],
      ["DateTime", "noon"],
    ),
  );
  assert.match(text, /3 calls were made/);
  assert.match(text, /\*\*ListFiles\*\* failed \(`file_not_found`\): No folder x\.\n/);
  assert.match(text, /\*\*DateTime\*\* was not run\. The user denied this call: not now/);
  assert.match(text, /\*\*DateTime\*\* returned:\n\n```\nnoon\n```/);
});

test("reports an error with the list that follows it", async () => {
  const said =
    "Error (invalid_arguments): The arguments are invalid:\n- path is missing\n- depth: too deep\nCorrect these and call again.";
  const text = await answer(turn("/ListFiles {}", ["ListFiles", said]));
  assert.match(text, /are invalid:\n {3}- path is missing\n {3}- depth: too deep$/);
  const shown = said.replace("\nCorrect", '\nValid arguments: {"path":"."}\nCorrect');
  assert.match(
    await answer(turn("/ListFiles {}", ["ListFiles", shown])),
    /too deep\n\nFor example: `\/ListFiles \{"path":"\."\}`$/,
  );
});

test("a code fence inside a result does not end the quotation", async () => {
  assert.match(
    await answer(turn("/DateTime", ["DateTime", "```\ncode\n```"])),
    /````\n```\ncode\n```\n````/,
  );
});

test("/help explains the syntax and lists each tool", async () => {
  const text = await answer([user("/help")]);
  for (const part of [
    "/then",
    "/Name!",
    "$VAR_REF{{Name_1}}",
    "/ReadVar",
    "/ListVars",
    "limit",
    '/ListFiles {"path":"."}` Lists a folder.',
    "`/DateTime`",
  ]) {
    assert.ok(text.includes(part), part);
  }
});

test("follows the tool choice", async () => {
  assert.deepEqual(callsOf(await collect([user("/DateTime")], { toolChoice: "none" })), []);
  assert.match(await answer([user("/DateTime")], { toolChoice: "none" }), /disables tools/);
  assert.match(
    await answer([user("/DateTime")], { toolChoice: { type: "function", name: "ListFiles" } }),
    /requires a call of `ListFiles`/,
  );
  assert.match(
    await answer([user("Hello")], { toolChoice: "required" }),
    /requires a call of a tool/,
  );
  assert.equal(callsOf(await collect([user("/DateTime")], { toolChoice: "required" })).length, 1);
});

test("answers in JSON if the request asks for JSON", async () => {
  const text = await answer([user("Hello")], { responseFormat: { type: "json_object" } });
  const parsed = JSON.parse(text) as { text: string };
  assert.match(parsed.text, /no AI/);
});

test("ends an answer at the token limit", async () => {
  const events = await collect([user("Hello")], { maxOutputTokens: 20 });
  const finish = events.at(-1);
  assert.ok(
    finish?.type === "finish" && finish.reason === "length" && finish.usage.outputTokens <= 20,
  );
});

test("gives the same answer for the same request, and counts its tokens", async () => {
  const messages = turn("/DateTime", ["DateTime", "noon"]);
  const first = await collect(messages);
  assert.deepEqual(first, await collect(messages));
  const finish = first.at(-1);
  assert.ok(
    finish?.type === "finish" && finish.usage.inputTokens > 20 && finish.usage.outputTokens > 5,
  );
});

test("estimates the tokens of long requests from a short sample", async () => {
  await loadTokenizer();
  const text = "The quick brown fox jumps over the lazy dog. ".repeat(450);
  const reply = { type: "text", text: "Yes." } as const;
  const started = performance.now();
  for (const count of [1, 20, 39, 1_000]) {
    const messages = Array.from({ length: count }, () => user(text));
    const { inputTokens } = countUsage({ messages, tools: [] }, reply);
    const exact = countTokens(text) * count;
    assert.ok(Math.abs(inputTokens - exact) < exact / 10, `${inputTokens} is far from ${exact}`);
    for (let n = 0; n < 30; n++) countUsage({ messages, tools: [] }, reply);
  }
  assert.ok(performance.now() - started < 10_000);
});

test("stops within one delta after an abort", async () => {
  const controller = new AbortController();
  const slow = createOfflineModel({ chunkDelayMs: 5_000 });
  const start = performance.now();
  await assert.rejects(
    async () => {
      for await (const event of slow.stream(
        { messages: [user("/help")], tools },
        controller.signal,
      )) {
        if (event.type === "text-delta") setTimeout(() => controller.abort(), 5);
      }
    },
    { name: "AbortError" },
  );
  assert.ok(performance.now() - start < 10_000);
});

test("yields nothing after an abort, also without a delay", async () => {
  const controller = new AbortController();
  const events: ModelEvent[] = [];
  await assert.rejects(
    async () => {
      for await (const event of model.stream(
        { messages: [user("/help")], tools },
        controller.signal,
      )) {
        events.push(event);
        controller.abort();
      }
    },
    { name: "AbortError" },
  );
  assert.equal(events.length, 1);
});

test("an answer ends before the first stop text", async () => {
  const textOf = (events: readonly ModelEvent[]) =>
    events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
  const whole = textOf(await collect([user("hello")]));
  const first = whole.slice(20, 26);
  const second = whole.slice(10, 14);
  const cut = textOf(await collect([user("hello")], { stop: [first, second, "not in it"] }));
  assert.equal(cut, whole.slice(0, Math.min(whole.indexOf(first), whole.indexOf(second))));
});
