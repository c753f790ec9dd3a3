import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { test } from "node:test";
import { createAdaptorServer } from "@hono/node-server";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { WebSocket } from "ws";
import { createTestApp, toyTools } from "../testing/app-fixtures.ts";
import { runIn, tool } from "../testing/run-fixtures.ts";
import { MemoryBudget } from "../http/memory-budget.ts";
import { defaultServerLimits, type ServerLimits } from "../runs/request/run-limits.ts";
import { serveWebSockets, type WebSocketOptions } from "./websocket.ts";

interface Frame {
  readonly type: string;
  readonly status?: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly sequence_number?: number;
  readonly response?: {
    readonly id: string;
    readonly status: string;
    readonly output: readonly { readonly content?: readonly { readonly text?: string }[] }[];
  };
}

/** Serves the API with a scripted model, and connects to it. */
async function connect(
  steps: readonly ScriptedStep[],
  more: Partial<WebSocketOptions> & {
    readonly apiKeys?: Parameters<typeof createTestApp>[0]["apiKeys"];
    readonly tools?: Parameters<typeof createTestApp>[0]["tools"];
    readonly limits?: Partial<ServerLimits>;
  } = {},
) {
  const model = new ScriptedModel(steps);
  const { apiKeys, tools, limits, ...options } = more;
  const budget = new MemoryBudget({ ...defaultServerLimits, ...limits });
  const shared = { model, budget, ...(apiKeys && { apiKeys }), ...(tools && { tools }) };
  const app = createTestApp(shared);
  const server = createAdaptorServer({ fetch: (request) => app.fetch(request) }) as Server;
  const disconnect = serveWebSockets({
    server,
    fetch: app.fetch,
    budget,
    bodyBytes: 1_000_000,
    ...options,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}/v1/responses`;
  const open = async (headers: { readonly [name: string]: string } = {}) => {
    const socket = new WebSocket(url, { headers });
    await once(socket, "open");
    const frames: Frame[] = [];
    let news = Promise.withResolvers<void>();
    socket.on("message", (data: Buffer) => {
      frames.push(JSON.parse(data.toString()) as Frame);
      news.resolve();
      news = Promise.withResolvers();
    });
    /** Waits for a frame among those after the first `from`. */
    const seen = async (isIt: (frame: Frame) => boolean, from = 0): Promise<Frame> => {
      for (;;) {
        const found = frames.slice(from).find(isIt);
        if (found !== undefined) return found;
        await news.promise;
      }
    };
    /** Sends a frame, and returns the frames of its turn. */
    const turn = async (frame: object | string): Promise<readonly Frame[]> => {
      const from = frames.length;
      socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
      const isLast = ({ type }: Frame) =>
        type === "error" || /^response\.(completed|failed|incomplete)$/.test(type);
      await seen(isLast, from);
      return frames.slice(from);
    };
    return { socket, frames: frames as readonly Frame[], turn, seen };
  };
  return {
    model,
    app,
    url,
    open,
    async [Symbol.asyncDispose]() {
      disconnect();
      server.close();
      server.closeAllConnections();
    },
  };
}

const create = (more: object) => ({ type: "response.create", model: "m", ...more });

function answerOf(frames: readonly Frame[]): string | undefined {
  return frames.at(-1)?.response?.output.at(-1)?.content?.[0]?.text;
}

test("a turn's frames are the events of its stream, numbered from 0", async () => {
  await using served = await connect(["One two three.", "Second."]);
  const { turn } = await served.open();
  const first = await turn(create({ input: "Count.", stream: true, background: true }));
  assert.equal(first[0]?.type, "response.created");
  assert.deepEqual(
    first.map(({ sequence_number: number }) => number),
    [...first.keys()],
  );
  assert.equal(answerOf(first), "One two three.");
  const second = await turn(create({ input: "Again." }));
  assert.equal(second[0]?.sequence_number, 0);
  assert.equal(answerOf(second), "Second.");
});

test("a connection continues its own responses that are not stored, and no other does", async () => {
  await using served = await connect(["OK.", "cobalt", "fresh"]);
  const one = await served.open();
  const first = await one.turn(create({ input: "Remember cobalt.", store: false }));
  const id = first.at(-1)?.response?.id;
  const second = await one.turn(
    create({ input: "The word?", store: false, previous_response_id: id }),
  );
  assert.equal(answerOf(second), "cobalt");
  assert.match(JSON.stringify(served.model.requests[1]?.messages), /Remember cobalt/);
  const other = await served.open();
  const refused = await other.turn(
    create({ input: "The word?", store: false, previous_response_id: id }),
  );
  assert.equal(refused.at(-1)?.error?.code, "previous_response_not_found");
  assert.equal(answerOf(await other.turn(create({ input: "Hi", store: false }))), "fresh");
});

test("after a failed continuation the connection cannot continue the response", async () => {
  await using served = await connect(["OK."]);
  const { turn } = await served.open();
  const id = (await turn(create({ input: "ember", store: false }))).at(-1)?.response?.id;
  const output = { type: "function_call_output", call_id: "call_none", output: "x" };
  const failed = await turn(create({ store: false, previous_response_id: id, input: [output] }));
  assert.equal(failed.at(-1)?.status, 400);
  const again = await turn(create({ store: false, previous_response_id: id, input: "Hi" }));
  assert.equal(again.at(-1)?.error?.code, "previous_response_not_found");
});

test("a response without generation has no output, and its input precedes the next one", async () => {
  await using served = await connect(["Done."]);
  const { turn } = await served.open();
  const prepared = await turn(create({ input: "Context.", generate: false, store: false }));
  assert.deepEqual(
    prepared.map(({ type }) => type),
    ["response.created", "response.in_progress", "response.completed"],
  );
  assert.deepEqual(prepared.at(-1)?.response?.output, []);
  const id = prepared.at(-1)?.response?.id;
  const next = await turn(create({ input: "Go.", store: false, previous_response_id: id }));
  assert.equal(answerOf(next), "Done.");
  const said = served.model.requests[0]?.messages.map(({ content }) => content);
  assert.deepEqual(said?.slice(-2), ["Context.", "Go."]);
});

test("a connection stores only the newest response without generation", async () => {
  await using served = await connect(["Done."]);
  const { turn } = await served.open();
  const prepare = async (input: string) =>
    (await turn(create({ input, generate: false, store: false }))).at(-1)?.response?.id;
  const first = await prepare("Old.");
  const second = await prepare("New.");
  const lost = await turn(create({ input: "Go.", store: false, previous_response_id: first }));
  assert.equal(lost.at(-1)?.error?.code, "previous_response_not_found");
  const next = await turn(create({ input: "Go.", store: false, previous_response_id: second }));
  assert.equal(answerOf(next), "Done.");
});

test("the session header of a connection applies to its turns", async () => {
  await using served = await connect([{ calls: [{ name: "Read" }] }, "It says x.", "Yes."], {
    tools: [tool("Read", () => "x")],
  });
  const { turn } = await served.open({ "session-id": "talk-1" });
  const user = (content: string) => ({ role: "user", content });
  await turn(create({ input: [user("What?")], tools: toyTools, store: false }));
  const said = { role: "assistant", content: "It says x." };
  await turn(create({ input: [user("What?"), said, user("Sure?")], store: false }));
  // The client did not send the call.
  assert.match(JSON.stringify(served.model.requests.at(-1)?.messages), /Read/);
});

const wrong: readonly (readonly [title: string, frame: object | string, code: string])[] = [
  ["text that is not JSON", "{", "invalid_json"],
  ["an unknown type", { type: "response.steer" }, "unknown_event_type"],
  ["a list", "[]", "unknown_event_type"],
  ["no input", create({}), "missing_required_parameter"],
  [
    "a missing response",
    create({ input: "x", previous_response_id: "resp_missing" }),
    "previous_response_not_found",
  ],
];

test("errors are frames, and the connection stays open", async () => {
  await using served = await connect(["Still here."]);
  const { turn } = await served.open();
  for (const [title, frame, code] of wrong) {
    const [error] = await turn(frame);
    assert.equal(error?.type, "error", title);
    assert.equal(error?.error?.code, code, title);
    assert.equal(error?.status, 400, title);
  }
  assert.equal(answerOf(await turn(create({ input: "Hello?" }))), "Still here.");
});

test("a second request during a response is rejected, and the first continues", async () => {
  const hold = Promise.withResolvers<string>();
  await using served = await connect([() => hold.promise]);
  const { socket, seen } = await served.open();
  for (const input of ["Wait.", "Me too."]) socket.send(JSON.stringify(create({ input })));
  const { error } = await seen(({ type }) => type === "error");
  assert.equal(error?.code, "concurrent_request");
  hold.resolve("First.");
  const { response } = await seen(({ type }) => type === "response.completed");
  assert.equal(response?.output[0]?.content?.[0]?.text, "First.");
});

test("a client that disconnects stops its run", async () => {
  const hold = Promise.withResolvers<string>();
  const asked = Promise.withResolvers<void>();
  await using served = await connect([() => (asked.resolve(), hold.promise)]);
  const { socket } = await served.open();
  socket.send(JSON.stringify(create({ input: "Wait." })));
  await asked.promise;
  const { body } = await served.app.call("GET", "/v1/runs");
  socket.terminate();
  await runIn(served.app.services.runs.store, body.data[0]?.id ?? "", "cancelled");
});

test("the handshake needs a key, and other sites are rejected", async () => {
  await using served = await connect(["Hi."], {
    apiKeys: [{ name: "ann", key: "secret-key-of-ann" }],
  });
  const statusOf = async (headers: { readonly [name: string]: string }, url = served.url) => {
    const socket = new WebSocket(url, { headers });
    socket.on("error", () => {});
    const [, response] = (await once(socket, "unexpected-response")) as [
      unknown,
      { statusCode: number },
    ];
    socket.terminate();
    return response.statusCode;
  };
  assert.equal(await statusOf({}), 401);
  assert.equal(await statusOf({ Authorization: "Bearer wrong" }), 401);
  assert.equal(
    await statusOf({ Authorization: "Bearer secret-key-of-ann", Origin: "https://evil.example" }),
    403,
  );
  assert.equal(
    await statusOf(
      { Authorization: "Bearer secret-key-of-ann" },
      served.url.replace("responses", "runs"),
    ),
    404,
  );
  const { turn } = await served.open({ Authorization: "Bearer secret-key-of-ann" });
  assert.equal(answerOf(await turn(create({ input: "Hello" }))), "Hi.");
});

test("a connection ends after its lifetime, with the reason", async () => {
  await using served = await connect([], { lifetimeMs: 30 });
  const { socket } = await served.open();
  const [data] = (await once(socket, "message")) as [Buffer];
  assert.equal(
    (JSON.parse(data.toString()) as Frame).error?.code,
    "websocket_connection_limit_reached",
  );
  await once(socket, "close");
});

test("a frame that is too long closes the connection", async () => {
  await using served = await connect([], { bodyBytes: 1_000 });
  const { socket } = await served.open();
  socket.send("x".repeat(2_000));
  const [code] = (await once(socket, "close")) as [number];
  assert.equal(code, 1009);
});

test("a frame with too many values is rejected before it is parsed", async () => {
  await using served = await connect(["OK."]);
  const { turn } = await served.open();
  const input = Array.from({ length: 50_001 }, () => 0);
  const frames = await turn(create({ input, generate: false }));
  assert.equal(frames.at(-1)?.error?.code, "body_too_many_values");
  assert.equal(answerOf(await turn(create({ input: "Go." }))), "OK.");
});

test("a client that sends frames and does not read is disconnected", async () => {
  await using served = await connect([]);
  const { socket, frames } = await served.open();
  socket.pause();
  const sent = 100_000;
  for (let n = 0; n < sent; n++) socket.send("{}", () => {});
  // Without a limit the server would answer all frames, and keep the answers in memory.
  while (socket.bufferedAmount > 0 && socket.readyState === WebSocket.OPEN)
    await new Promise((resolve) => setTimeout(resolve, 10));
  socket.on("error", () => {});
  socket.resume();
  await once(socket, "close");
  assert.ok(frames.length < sent, String(frames.length));
});

test("frames that arrive or wait count against the memory of their user", async () => {
  await using served = await connect(["OK."], { limits: { bytesOfOne: 900_000 } });
  const holding = await served.open();
  const long = "x".repeat(400_000);
  await holding.turn(create({ input: long, generate: false }));
  const other = await served.open();
  const frames = await other.turn(create({ input: long, generate: false }));
  assert.deepEqual(
    [frames.at(-1)?.status, frames.at(-1)?.error?.code],
    [429, "too_many_bytes_at_once"],
  );
  await once(other.socket, "close");
  holding.socket.close();
  await once(holding.socket, "close");
  const third = await served.open();
  assert.equal(answerOf(await third.turn(create({ input: long }))), "OK.");
});

test("connections count as open streams of their user, and other users can connect", async () => {
  const apiKeys = [
    { name: "ann", key: "ann-key" },
    { name: "bob", key: "bob-key" },
  ];
  await using served = await connect(["OK."], { apiKeys, limits: { streamsOfOne: 1 } });
  const ann = { authorization: "Bearer ann-key" };
  const first = await served.open(ann);
  const second = new WebSocket(served.url, { headers: ann });
  const [, answer] = (await once(second, "unexpected-response")) as [
    unknown,
    { statusCode: number },
  ];
  assert.equal(answer.statusCode, 429);
  await served.open({ authorization: "Bearer bob-key" });
  assert.equal(answerOf(await first.turn(create({ input: "Go." }))), "OK.");
});

test("server tools run within a turn", async () => {
  await using served = await connect([{ calls: [{ name: "Time" }] }, "Noon."], {
    tools: [tool("Time", () => "12:00")],
  });
  const { turn } = await served.open();
  const frames = await turn(create({ input: "Time?", tools: toyTools }));
  assert.equal(answerOf(frames), "Noon.");
});

test("at most ten responses without generation continue each other, and the last one can be used", async () => {
  await using served = await connect(["Done."]);
  const { turn } = await served.open();
  const prepare = (input: string, id?: string) =>
    turn(
      create({
        input,
        generate: false,
        store: false,
        ...(id !== undefined && { previous_response_id: id }),
      }),
    );
  let id = (await prepare("0.")).at(-1)?.response?.id;
  for (let n = 1; n <= 10; n += 1) id = (await prepare(`${n}.`, id)).at(-1)?.response?.id;
  const rejected = (await prepare("11.", id)).at(-1);
  assert.deepEqual([rejected?.status, rejected?.error?.code], [400, "invalid_value"]);
  assert.match(rejected?.error?.message ?? "", /Send the whole input in one frame/);
  const next = await turn(create({ input: "Go.", store: false, previous_response_id: id }));
  assert.equal(answerOf(next), "Done.");
});

test("a response without generation that does not fit in its user's memory is rejected", async () => {
  await using served = await connect(["Done."], { limits: { bytesOfOne: 500_000 } });
  const { turn } = await served.open();
  // Frames this short are not counted while they arrive.
  const text = "x".repeat(60_000);
  let last = (await turn(create({ input: text, generate: false, store: false }))).at(-1);
  for (let n = 0; n < 9 && last?.error === undefined; n += 1) {
    const id = last?.response?.id;
    const frame = { input: text, generate: false, store: false, previous_response_id: id };
    last = (await turn(create(frame))).at(-1);
  }
  assert.equal(last?.error?.code, "too_many_bytes_at_once");
});
