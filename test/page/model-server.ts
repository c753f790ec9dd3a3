import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** The next answer of the model. */
export type Reply =
  | { readonly type: "text"; readonly text: string }
  /** Streams the words as the iterable yields them. */
  | { readonly type: "live"; readonly chunks: AsyncIterable<string> }
  | { readonly type: "calls"; readonly calls: readonly { name: string; args: object }[] }
  /** Streams some words, and then breaks the connection. */
  | { readonly type: "cut"; readonly text: string }
  | {
      readonly type: "error";
      readonly status: number;
      readonly error: object;
      readonly headers?: { readonly [name: string]: string };
    };

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** An OpenAI-compatible server with scripted answers. */
export interface ModelServer {
  /** For `CAPSTAN_MODEL_URL`. */
  readonly url: string;
  readonly requests: readonly ChatRequest[];
  readonly willSay: (...replies: readonly Reply[]) => void;
  /** Discards unused answers, so that a failed test does not affect the next one. */
  readonly forget: () => void;
  readonly close: () => Promise<void>;
}

/** An answer that a test sends word by word. */
export interface LiveAnswer {
  readonly reply: Reply;
  readonly say: (text: string) => void;
  readonly end: () => void;
}

/** @example const live = liveAnswer(); model.willSay(live.reply); live.say("Ahoy"); live.end(); */
export function liveAnswer(): LiveAnswer {
  let controller!: ReadableStreamDefaultController<string>;
  const stream = new ReadableStream<string>({ start: (opened) => void (controller = opened) });
  return {
    reply: { type: "live", chunks: stream.values() },
    say: (text) => controller.enqueue(text),
    end: () => controller.close(),
  };
}

/** @param models those that it lists */
export async function startModelServer(models: readonly string[]): Promise<ModelServer> {
  const replies: Reply[] = [];
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url === "/v1/models") {
        return sendJson(response, 200, { data: models.map((id) => ({ id, object: "model" })) });
      }
      requests.push((await readJson(request)) as ChatRequest);
      await send(response, replies.shift() ?? unscripted);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    willSay: (...next) => void replies.push(...next),
    forget: () => void replies.splice(0),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const unscripted: Reply = {
  type: "error",
  status: 400,
  error: { message: "The test has no answer for this request." },
};

async function send(response: ServerResponse, reply: Reply): Promise<void> {
  if (reply.type === "error") {
    return sendJson(response, reply.status, { error: reply.error }, reply.headers);
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  let written: Promise<unknown> = Promise.resolve();
  const say = (delta: object) => {
    written = new Promise((resolve) => response.write(chunk(delta, null), resolve));
  };
  let reason = "stop";
  if (reply.type === "calls") {
    reason = "tool_calls";
    say({ tool_calls: reply.calls.map(callDelta) });
  } else if (reply.type === "live") {
    for await (const content of reply.chunks) say({ content });
  } else {
    for (const content of reply.text.match(/[^]{1,16}/g) ?? []) say({ content });
  }
  if (reply.type === "cut") {
    // The text is sent before the connection breaks.
    await written;
    return void response.destroy();
  }
  response.end(`${chunk({}, reason)}data: [DONE]\n\n`);
}

function callDelta({ name, args }: { name: string; args: object }, index: number) {
  const id = `call_${Math.random().toString(36).slice(2)}`;
  return { index, id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

function chunk(delta: object, finish: string | null): string {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const body = {
    id: "chat",
    object: "chat.completion.chunk",
    created: 0,
    model: "test",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(finish !== null && { usage }),
  };
  return `data: ${JSON.stringify(body)}\n\n`;
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: { readonly [name: string]: string } = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return JSON.parse(text);
}
