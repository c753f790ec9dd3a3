import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "../scripts/command.ts";
import {
  checkedCompaction,
  checkedResponse,
  checkEvents,
  isEnd,
  type WireEvent,
  type WireResponse,
} from "./compliance/wire-checks.ts";
import {
  createServerFolder,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";

// The cases of the conformance suite of Open Responses, against a server with the offline model.
// `UPDATE_PAGES=1` writes the page with their results instead of comparing it.

const model = "capstan/offline";
const resources = new AsyncDisposableStack();
let folder: ServerFolder;
let server: ServerProcess;

before(async () => {
  folder = resources.use(await createServerFolder());
  server = resources.use(await startServerProcess({ folder }));
});

after(() => resources.disposeAsync());

const message = (role: string, content: unknown, more: object = {}) => ({
  type: "message",
  role,
  content,
  ...more,
});

async function post(path: string, body: object): Promise<Response> {
  return fetch(`${server.url}/v1/responses${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function create(input: unknown, more: object = {}): Promise<WireResponse> {
  const response = await post("", { model, input, ...more });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return checkedResponse(JSON.parse(text));
}

async function compact(body: object): Promise<ReturnType<typeof checkedCompaction>> {
  const response = await post("/compact", { model, ...body });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return checkedCompaction(JSON.parse(text));
}

interface Connection extends Disposable {
  /** Sends a request, and returns the events of its turn. */
  turn(body: object): Promise<readonly WireEvent[]>;
}

async function connect(): Promise<Connection> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/responses`);
  await once(socket, "open");
  let events: WireEvent[] = [];
  let ended: PromiseWithResolvers<void> | undefined;
  socket.addEventListener("message", ({ data }) => {
    const event = JSON.parse(String(data)) as WireEvent;
    events.push(event);
    if (isEnd(event)) ended?.resolve();
  });
  socket.addEventListener("close", () => ended?.reject(new Error("The connection closed.")));
  return {
    async turn(body) {
      events = [];
      ended = Promise.withResolvers<void>();
      socket.send(JSON.stringify({ type: "response.create", model, ...body }));
      await ended.promise;
      checkEvents(events);
      return events;
    },
    [Symbol.dispose]: () => socket.close(),
  };
}

const responseOf = (events: readonly WireEvent[]) => checkedResponse(events.at(-1)?.response);
const codeOf = (events: readonly WireEvent[]) => events.at(-1)?.error?.code;
const notFound = "previous_response_not_found";

interface Case {
  readonly name: string;
  readonly shows: string;
  readonly run: () => Promise<void>;
}

/** A white square of 32 pixels, as PNG. */
const square =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJklEQVR42u3NMQ0AAAwDoPo33arYsQQMkB6LQCAQCAQCgUAg+BIMi1X0ptsIcT0AAAAASUVORK5CYII=";

const weather = {
  type: "function",
  name: "get_weather",
  description: "Tells the weather of a place.",
  parameters: {
    type: "object",
    properties: { location: { type: "string" } },
    required: ["location"],
  },
};

const cases: readonly Case[] = [
  {
    name: "basic-response",
    shows: "A message gets a completed response",
    run: async () => void (await create([message("user", "Greet me in three words.")])),
  },
  {
    name: "assistant-phase",
    shows: "Messages of the model with `phase` are accepted",
    run: async () => {
      await create([
        message("assistant", "The saved number is needed.", { phase: "commentary" }),
        message("assistant", "It is four.", { phase: "final_answer" }),
        message("user", "Say the number again."),
      ]);
    },
  },
  {
    name: "response-output-phase-schema",
    shows: "Output messages with each `phase` have a valid form",
    run: async () => {
      const made = await create("Hello");
      const output = ["commentary", "final_answer"].map((phase, at) => ({
        ...message("assistant", [{ type: "output_text", text: "Four.", annotations: [] }]),
        id: `msg_${at}`,
        status: "completed",
        phase,
      }));
      const checked = checkedResponse({ ...made, output });
      assert.deepEqual(
        checked.output.map(({ phase }) => phase),
        ["commentary", "final_answer"],
      );
      const other = { ...made, output: [{ ...output[0], phase: "other" }] };
      assert.throws(() => checkedResponse(other), /form/);
    },
  },
  {
    name: "streaming-response",
    shows: "All events of a stream are valid, and the last is a completed response",
    run: async () => {
      const input = [message("user", "Count to five.")];
      const response = await post("", { model, input, stream: true });
      assert.match(response.headers.get("content-type") ?? "", /text\/event-stream/);
      const data = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, line]) => line);
      assert.equal(data.pop(), "[DONE]");
      const events = data.map((line) => JSON.parse(line ?? "") as WireEvent);
      checkEvents(events);
      responseOf(events);
    },
  },
  {
    name: "websocket-response",
    shows: "The same over WebSocket",
    run: async () => {
      using connection = await connect();
      responseOf(await connection.turn({ input: [message("user", "Count to three.")] }));
    },
  },
  {
    name: "websocket-sequential-responses",
    shows: "One connection has several responses, one after another",
    run: async () => {
      using connection = await connect();
      for (const word of ["one", "two"])
        responseOf(await connection.turn({ store: false, input: `Answer only: ${word}` }));
    },
  },
  {
    name: "websocket-continuation",
    shows: "A connection continues its response with `store: false`",
    run: async () => {
      using connection = await connect();
      const first = responseOf(await connection.turn({ store: false, input: "Keep: cobalt." }));
      const next = { store: false, previous_response_id: first.id, input: "Which word?" };
      responseOf(await connection.turn(next));
    },
  },
  {
    name: "websocket-reconnect-store-false-recovery",
    shows: "Another connection cannot continue it, and works afterwards",
    run: async () => {
      using one = await connect();
      const first = responseOf(await one.turn({ store: false, input: "Keep: copper." }));
      using other = await connect();
      const next = { store: false, previous_response_id: first.id, input: "Go on." };
      assert.equal(codeOf(await other.turn(next)), notFound);
      responseOf(await other.turn({ store: false, input: [message("user", "Begin again.")] }));
    },
  },
  {
    name: "websocket-previous-response-not-found",
    shows: "An unknown `previous_response_id` is an error with this code",
    run: async () => {
      using connection = await connect();
      const next = { store: false, previous_response_id: "resp_missing_1", input: "Go on." };
      assert.equal(codeOf(await connection.turn(next)), notFound);
    },
  },
  {
    name: "websocket-failed-continuation-evicts-cache",
    shows: "After a failed continuation, the response can no longer be continued",
    run: async () => {
      using connection = await connect();
      const first = responseOf(await connection.turn({ store: false, input: "Keep: ember." }));
      const next = { store: false, previous_response_id: first.id };
      const output = { type: "function_call_output", call_id: "call_missing", output: "Nothing." };
      const failed = await connection.turn({ ...next, input: [output] });
      assert.notEqual(codeOf(failed), undefined);
      assert.equal(codeOf(await connection.turn({ ...next, input: "Which word?" })), notFound);
    },
  },
  {
    name: "websocket-compact-new-chain",
    shows: "The output of a compaction begins a new history",
    run: async () => {
      const { output } = await compact({
        input: [
          message("user", [{ type: "input_text", text: "Keep: slate." }]),
          message("assistant", [{ type: "output_text", text: "Kept." }]),
          message("user", [{ type: "input_text", text: "Shorten this conversation." }]),
        ],
      });
      using connection = await connect();
      const input = [...output, message("user", "Continue.")];
      responseOf(await connection.turn({ store: false, tools: [], input }));
    },
  },
  {
    name: "system-prompt",
    shows: "A message of the system is accepted",
    run: async () => {
      await create([message("system", "Speak like a sailor."), message("user", "Greet me.")]);
    },
  },
  {
    name: "tool-calling",
    shows: "A function that the message needs is called",
    run: async () => {
      const input = [message("user", "What's the weather like in San Francisco?")];
      const { output } = await create(input, { tools: [weather] });
      assert.ok(output.some(({ type }) => type === "function_call"));
    },
  },
  {
    name: "image-input",
    shows: "An image in a message is accepted",
    run: async () => {
      const parts = [
        { type: "input_text", text: "Describe this image." },
        { type: "input_image", image_url: square },
      ];
      await create([message("user", parts)]);
    },
  },
  {
    name: "multi-turn",
    shows: "A history of several messages is accepted",
    run: async () => {
      await create([
        message("user", "I am Alice."),
        message("assistant", "Hello Alice."),
        message("user", "Who am I?"),
      ]);
    },
  },
  {
    name: "compact-response",
    shows: "A compaction has a `compaction` item and its usage",
    run: async () => {
      const { output } = await compact({
        prompt_cache_key: "compliance",
        input: [message("user", "Keep: slate."), message("assistant", "Kept.")],
      });
      assert.equal(output.at(-1)?.type, "compaction");
    },
  },
  {
    name: "compact-missing-model",
    shows: "A compaction without `model` is rejected with 400",
    run: async () => {
      const response = await post("/compact", { input: [message("user", "Hello")] });
      assert.equal(response.status, 400);
    },
  },
];

const results = new Map<string, string>();

// The suite starts all cases at the same time.
test("the cases of the conformance suite of Open Responses", { concurrency: true }, async (t) => {
  const started = cases.map(({ name, run }) =>
    t.test(name, async () => {
      results.set(name, "fails");
      await run();
      results.set(name, "passes");
    }),
  );
  await Promise.all(started);
});

// Contract: responses-12
test("docs/reference/compliance.md has the results", async () => {
  const file = join(root, "docs/reference/compliance.md");
  const page = pageOf();
  if (process.env["UPDATE_PAGES"] === "1") await writeFile(file, page);
  const committed = await readFile(file, "utf8");
  assert.equal(
    committed,
    page,
    "The page differs. Write it with: UPDATE_PAGES=1 npm test -- test/compliance",
  );
});

function pageOf(): string {
  const passed = [...results.values()].filter((result) => result === "passes").length;
  const rows = cases.map(
    ({ name, shows }) => `| \`${name}\` | ${shows} | ${results.get(name) ?? "did not run"} |`,
  );
  return `# Compliance with Open Responses

Results of the cases of the conformance suite of [Open Responses](https://www.openresponses.org), against \`capstan serve\` with the offline model.
\`test/compliance.test.ts\` has its own version of each case and writes this table. ${passed} of ${cases.length} cases pass.

| Case | Shows | Result |
|---|---|---|
${rows.join("\n")}
`;
}
