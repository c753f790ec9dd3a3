import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A Chat Completions request, as far as the tests look at it. */
export interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_call_id?: string;
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly response_format?: { readonly type: string };
}

export interface ScriptedCall {
  readonly name: string;
  /** The model's text, which may be invalid JSON. */
  readonly arguments: string;
}

/** The upstream's answer to one request. */
export interface UpstreamAnswer {
  /** Words, each string one chunk. @default none */
  readonly say?: readonly string[];
  readonly calls?: readonly ScriptedCall[];
  /** The end of the answer: a regular end, a broken connection, or silence. @default "end" */
  readonly ending?: "end" | "break" | "silence";
  /** The answer waits after its first chunk until this promise resolves. */
  readonly hold?: Promise<void>;
  /** An HTTP error instead. */
  readonly status?: number;
}

export interface Upstream extends AsyncDisposable {
  /** The value of CAPSTAN_MODEL_URL. */
  readonly url: string;
  /** The requests so far. */
  readonly requests: readonly ChatRequest[];
  /** The keys of these requests. */
  readonly authorizations: readonly (string | undefined)[];
  /** Resolves after the given number of requests. */
  reached(count: number): Promise<void>;
  /** Resolves when a client next disconnects during an answer. */
  nextLeft(): Promise<void>;
  /** The environment variables for a server that uses this upstream. */
  readonly environment: { readonly [name: string]: string };
}

/**
 * A real OpenAI-compatible server on a free port, with scripted answers.
 *
 * @param options.models the models that it lists. @default scripted
 */
export async function startUpstream(
  answer: (request: ChatRequest, index: number) => UpstreamAnswer,
  { models = ["scripted"] }: { readonly models?: readonly string[] } = {},
): Promise<Upstream> {
  const requests: ChatRequest[] = [];
  const authorizations: (string | undefined)[] = [];
  const waiting = new Set<() => void>();
  let left = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      if (request.url?.endsWith("/models") === true) return sendModels(response, models);
      if (request.url?.endsWith("/embeddings") === true) return sendEmbeddings(response, body);
      const parsed = JSON.parse(body) as ChatRequest;
      requests.push(parsed);
      authorizations.push(request.headers.authorization);
      for (const check of waiting) check();
      response.on("close", () => {
        if (response.writableFinished) return;
        left.resolve();
        left = Promise.withResolvers();
      });
      void sendAnswer(response, answer(parsed, requests.length - 1), requests.length);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    url,
    requests,
    authorizations,
    nextLeft: () => left.promise,
    environment: {
      CAPSTAN_MODEL_URL: url,
      CAPSTAN_MODEL_KEY: "upstream-key",
      CAPSTAN_MODEL: "scripted",
    },
    reached(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const check = () => {
        if (requests.length < count) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
      return promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Returns the answers in order, and then repeats the last one. */
export function inOrder(...answers: readonly UpstreamAnswer[]) {
  return (_request: ChatRequest, index: number): UpstreamAnswer =>
    answers[Math.min(index, answers.length - 1)] ?? {};
}

/**
 * A model that follows its instructions: each line `call NAME {json}` of the last user message is a
 * call, it reports the results, and it answers all other messages in three pieces.
 */
export function obey({ messages }: ChatRequest): UpstreamAnswer {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
  const results = since.filter(({ role }) => role === "tool");
  if (results.length > 0)
    return { say: [`It said: ${results.map(({ content }) => String(content)).join(" | ")}`] };
  const calls = Array.from(
    String(since[0]?.content).matchAll(/^call (\w+) (.*)$/gm),
    ([, name = "", args = ""]) => ({ name, arguments: args }),
  );
  return calls.length > 0 ? { calls } : { say: ["Said ", "in ", "pieces."] };
}

function sendModels(response: ServerResponse, models: readonly string[]): void {
  response.setHeader("content-type", "application/json");
  const data = models.map((id) => ({ id, object: "model" }));
  response.end(JSON.stringify({ object: "list", data }));
}

/** Sends one vector for each input: its length. The model `broken` has reached its rate limit. */
function sendEmbeddings(response: ServerResponse, body: string): void {
  const { model, input } = JSON.parse(body) as {
    readonly model: string;
    readonly input: string | readonly string[];
  };
  response.setHeader("content-type", "application/json");
  if (model === "broken") {
    response.writeHead(429, { "retry-after": "7" });
    response.end(JSON.stringify({ error: { message: "scripted 429", type: "scripted" } }));
    return;
  }
  const data = [input].flat().map((text, index) => ({
    object: "embedding",
    index,
    embedding: [text.length, 0.5],
  }));
  const usage = { prompt_tokens: 1, total_tokens: 1 };
  response.end(JSON.stringify({ object: "list", data, model, usage }));
}

async function sendAnswer(
  response: ServerResponse,
  { say = [], calls = [], ending = "end", hold, status = 200 }: UpstreamAnswer,
  n: number,
): Promise<void> {
  if (status !== 200) {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `scripted ${status}`, type: "scripted" } }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  let sent: Promise<unknown> = Promise.resolve();
  const send = (choice: object, more: object = {}) => {
    const chunk = `data: ${JSON.stringify({ id: `chatcmpl-${n}`, object: "chat.completion.chunk", created: 1, model: "scripted", choices: [{ index: 0, ...choice }], ...more })}\n\n`;
    sent = new Promise((resolve) => response.write(chunk, resolve));
  };
  for (const [index, content] of say.entries()) {
    send({ delta: { role: "assistant", content }, finish_reason: null });
    if (index === 0) await hold;
  }
  if (say.length === 0) await hold;
  for (const [index, { name, arguments: args }] of calls.entries()) {
    const start = { index, id: `call_${n}_${index}`, type: "function" };
    // In two pieces, because no reader may rely on complete arguments.
    const half = Math.ceil(args.length / 2);
    send({
      delta: { tool_calls: [{ ...start, function: { name, arguments: args.slice(0, half) } }] },
      finish_reason: null,
    });
    send({
      delta: { tool_calls: [{ index, function: { arguments: args.slice(half) } }] },
      finish_reason: null,
    });
  }
  if (ending === "silence") return;
  if (ending === "break") {
    // The text is sent before the connection breaks.
    await sent;
    return void response.destroy();
  }
  send(
    { delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" },
    { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
  );
  response.write("data: [DONE]\n\n");
  response.end();
}
