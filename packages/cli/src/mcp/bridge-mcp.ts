import { readEventStream } from "@capstan/client";

/** The endpoint of a server, and the key for it. */
export interface McpTarget {
  /** The address with `/mcp`. */
  readonly url: string;
  readonly key?: string | undefined;
}

/** The options of `bridgeMcp`. */
export interface McpBridgeOptions {
  /** The lines that the client writes: one message each. */
  readonly lines: AsyncIterable<string>;
  /** Sends one message to the client. */
  readonly write: (message: string) => void;
  /** Returns the endpoint. Called again if the server does not respond. */
  readonly connect: () => Promise<McpTarget>;
  /** Logs a problem. It must not write to standard output, which has only messages. */
  readonly log: (line: string) => void;
  readonly fetch?: typeof fetch;
  /** The delay before a lost stream of notifications is opened again, in ms. @default 1000 */
  readonly reopenMs?: number;
}

/** The longest message of a client, in characters. */
const messageChars = 1_048_576;

/** The fields of a JSON-RPC message that the bridge reads. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly requestId?: unknown;
    readonly _meta?: { readonly [name: string]: unknown };
  };
}

/**
 * Passes messages between a client on standard input and output and the endpoint of a server, until
 * the input ends. If the server was restarted, it starts a new session for the client.
 */
export async function bridgeMcp(options: McpBridgeOptions): Promise<void> {
  const { lines, write, log } = options;
  const request = options.fetch ?? fetch;
  const stop = new AbortController();
  /** The open requests by id. */
  const open = new Map<string | number, AbortController>();
  let target = await options.connect();
  let session: { readonly id: string; readonly version: string } | undefined;
  /** The client's `initialize` message, which the bridge sends again to start a new session. */
  let initialize: Message | undefined;
  /** Settles with the first response, which has the session id for later messages. */
  let starting: Promise<void> = Promise.resolve();
  let restarting: Promise<boolean> | undefined;
  let notifications: Promise<void> | undefined;

  const headersOf = (message: Message | undefined): { [name: string]: string } => {
    const version = message?.params?._meta?.["io.modelcontextprotocol/protocolVersion"];
    const isModern = typeof version === "string";
    const name = message?.params?.name ?? message?.params?.uri;
    return {
      Accept: "application/json, text/event-stream",
      ...(target.key !== undefined && { Authorization: `Bearer ${target.key}` }),
      ...(message !== undefined && { "Content-Type": "application/json" }),
      ...(!isModern &&
        session !== undefined && {
          "Mcp-Session-Id": session.id,
          "MCP-Protocol-Version": session.version,
        }),
      ...(isModern && { "MCP-Protocol-Version": version, "Mcp-Method": message?.method ?? "" }),
      ...(isModern && typeof name === "string" && { "Mcp-Name": headerText(name) }),
    };
  };

  const post = (message: Message, signal: AbortSignal): Promise<Response> =>
    request(target.url, {
      method: "POST",
      headers: headersOf(message),
      body: JSON.stringify(message),
      signal,
    });

  /**
   * Sends a message. If the server is gone before the message is sent, finds or starts a server.
   */
  async function send(message: Message, signal: AbortSignal): Promise<Response> {
    try {
      return await post(message, signal);
    } catch (thrown) {
      if (signal.aborted || !isUnsent(thrown)) throw thrown;
      target = await options.connect();
      return post(message, signal);
    }
  }

  /** Starts a new session after a restart of the server. */
  async function restart(first: Message, signal: AbortSignal): Promise<boolean> {
    session = undefined;
    const response = await send(first, signal);
    const id = response.headers.get("mcp-session-id");
    const [answer] = await messagesOf(response);
    if (id === null || answer === undefined) return false;
    session = { id, version: versionOf(answer) };
    await (await post(initialized, signal)).body?.cancel();
    listen();
    return true;
  }

  async function exchange(message: Message, signal: AbortSignal): Promise<void> {
    const before = session?.id;
    let response = await send(message, signal);
    if (response.status === 404 && before !== undefined && initialize !== undefined) {
      // The server has not seen the message, so it can be sent again.
      if (session?.id === before || restarting !== undefined)
        await (restarting ??= restart(initialize, stop.signal).finally(() => {
          restarting = undefined;
        }));
      await response.body?.cancel();
      response = await send(message, signal);
    }
    // The client expects no response to a cancelled request.
    if (signal.aborted) return;
    if (message.method === "initialize") {
      const id = response.headers.get("mcp-session-id");
      initialize = message;
      if (id !== null) session = { id, version: "" };
    }
    if (!response.ok) return fail(message, await errorText(response));
    let isAnswered = false;
    for await (const text of textsOf(response)) {
      if (message.method === "initialize" && session !== undefined)
        session = { ...session, version: versionOf(text) };
      isAnswered ||= idOf(text) === message.id;
      write(text);
    }
    if (message.method === "notifications/initialized") listen();
    if (!isAnswered && message.id !== undefined && message.method !== undefined)
      fail(
        message,
        "The connection to the server was lost before the response. Send the request again: a call runs once.",
      );
  }

  function fail({ id, method }: Message, text: string): void {
    if (id === undefined || method === undefined) return log(text);
    write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_000, message: text } }));
  }

  /** Receives the messages that the server sends on its own. */
  function listen(): void {
    notifications ??= receive().finally(() => {
      notifications = undefined;
    });
  }

  async function receive(): Promise<void> {
    while (!stop.signal.aborted && session !== undefined) {
      const { id } = session;
      try {
        const headers = headersOf(undefined);
        const response = await request(target.url, { headers, signal: stop.signal });
        if (!response.ok) return;
        for await (const text of textsOf(response)) write(text);
      } catch {
        // The next request starts the session again.
      }
      if (session.id !== id || stop.signal.aborted) continue;
      await new Promise((resolve) => setTimeout(resolve, options.reopenMs ?? 1_000).unref());
    }
  }

  function take(line: string): void {
    const message = parse(line);
    if (message === undefined) {
      const error = { code: -32_700, message: "The line is not a JSON-RPC message." };
      return write(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
    }
    const { id, method, params } = message;
    const cancelled = open.get(params?.requestId as string | number);
    // Without a session, the bridge cancels a request by closing its connection.
    if (method === "notifications/cancelled" && session === undefined) return cancelled?.abort();
    const controller = new AbortController();
    if (id !== undefined && method !== undefined) open.set(id, controller);
    const signal = AbortSignal.any([controller.signal, stop.signal]);
    const exchanged = starting.then(() => exchange(message, signal));
    if (method === "initialize") starting = exchanged.catch(() => {});
    exchanged
      .catch((thrown: unknown) => {
        if (!controller.signal.aborted && !stop.signal.aborted)
          fail(message, `The server does not respond: ${reasonOf(thrown)}`);
      })
      .finally(() => {
        if (id !== undefined && open.get(id) === controller) open.delete(id);
      });
  }

  for await (const line of lines) {
    if (line.trim() === "") continue;
    take(line);
  }
  // Do not wait for requests of a client that has disconnected.
  if (session !== undefined)
    await request(target.url, {
      method: "DELETE",
      headers: headersOf(undefined),
      signal: AbortSignal.timeout(2_000),
    }).catch(() => {});
  stop.abort();
}

const initialized = { jsonrpc: "2.0", method: "notifications/initialized" } as const;

function parse(line: string): Message | undefined {
  if (line.length > messageChars) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === "object" && value !== null && !Array.isArray(value);
    return isMessage ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The messages of a response, as texts without line breaks. */
async function* textsOf(response: Response): AsyncGenerator<string> {
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("text/event-stream") && response.body !== null) {
    for await (const data of readEventStream(response.body)) if (data !== "") yield oneLine(data);
    return;
  }
  const text = await response.text();
  if (text !== "") yield oneLine(text);
}

async function messagesOf(response: Response): Promise<readonly string[]> {
  return Array.fromAsync(textsOf(response));
}

function oneLine(text: string): string {
  return /[\r\n]/.test(text) ? JSON.stringify(JSON.parse(text)) : text;
}

/**
 * Encodes a text for a header, which can only contain ASCII, in the form that the protocol defines.
 */
function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?");
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

function versionOf(text: string): string {
  const { result } = JSON.parse(text) as { result?: { protocolVersion?: string } };
  return result?.protocolVersion ?? "";
}

function idOf(text: string): unknown {
  const { id, method } = JSON.parse(text) as Message;
  return method === undefined ? id : undefined;
}

/** Returns the message of an error response. */
async function errorText(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string } };
    return error?.message ?? `The server answered with the status ${response.status}.`;
  } catch {
    return `The server answered with the status ${response.status}.`;
  }
}

function isUnsent(thrown: unknown): boolean {
  const { code } = ((thrown as Error | undefined)?.cause ?? {}) as { code?: unknown };
  return code === "ECONNREFUSED";
}

function reasonOf(thrown: unknown): string {
  const { cause, message } = thrown as Error;
  return cause instanceof Error ? cause.message : message;
}
