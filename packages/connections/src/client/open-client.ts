import { errorMessage } from "@capstan/core/host";
import { pathToFileURL } from "node:url";
import type * as library from "../libraries/mcp-client.ts";
import type { Client, ClientCapabilities, Transport } from "../libraries/mcp-client.ts";
import type { ServerFeatures } from "../accepted/stored-connection.ts";
import { ConnectionError } from "../transport/connection-error.ts";
import type { MessageReading } from "../transport/message-transformer.ts";
import { rawResult, tolerantTransport } from "../transport/tolerant-transport.ts";
import { askModel } from "./ask-model.ts";
import { askUser } from "./ask-user.ts";
import { concernedCalls, reportLog, type RunningCall } from "./running-calls.ts";

/** The protocol of a server: sessions, or requests without a session. */
export type Era = "legacy" | "modern";

/** A connected client. */
export interface OpenClient {
  readonly client: Client;
  readonly era: Era;
  readonly features: ServerFeatures;
  /** The calls that wait for the server. */
  readonly calls: Set<RunningCall>;
  /** Returns the tools that the server lists, unchecked. */
  readonly listTools: (signal?: AbortSignal) => Promise<readonly unknown[]>;
  /** Returns why the connection ended by itself. */
  readonly failure: () => ConnectionError | undefined;
  /** The secrets that requests have sent so far. No text may contain them. */
  readonly secrets: ReadonlySet<string>;
}

/** The maximum number of pages to read of a list. */
const mostPages = 64;
/** The maximum length of all pages of a list, in characters. */
const largestList = 16 * 1024 * 1024;
/** The maximum number of notifications of a server per second; further ones are dropped. */
const mostNotifications = 1_000;

/**
 * Connects a client to a server.
 *
 * @param transports makes a transport for each attempt
 * @param options.era the known protocol. @default tries both
 * @throws the library's errors, and `ConnectionError`
 */
export async function openClient(
  transports: () => Transport,
  options: {
    /** The name of the connection, for messages. */
    readonly name: string;
    readonly kind: "program" | "http";
    readonly version: string;
    readonly era?: Era | undefined;
    readonly timeoutMs: number;
    readonly roots: readonly string[];
    /** Whether the server can ask a model during its calls. */
    readonly sampling: boolean;
    readonly onListChanged: () => void;
    readonly onClose: () => void;
    readonly failure: () => ConnectionError | undefined;
    readonly secrets: ReadonlySet<string>;
    readonly reading: MessageReading;
    readonly signal?: AbortSignal;
  },
): Promise<OpenClient> {
  const { kind, era } = options;
  const sdk = await import("../libraries/mcp-client.ts");
  // Each attempt starts a process, so programs begin with the older protocol, which most use.
  const first = era ?? (kind === "program" ? "legacy" : "auto");
  try {
    return await connect(sdk, transports(), first, options);
  } catch (thrown) {
    // A server with the other protocol rejects the first request.
    const isRejected =
      thrown instanceof sdk.ProtocolError ||
      (kind === "http" && thrown instanceof sdk.SdkHttpError && thrown.status !== 401);
    if (first === "auto" || !isRejected) throw thrown;
    const other = kind === "http" ? "auto" : first === "legacy" ? "modern" : "legacy";
    return connect(sdk, transports(), other, options);
  }
}

async function connect(
  sdk: typeof library,
  transport: Transport,
  mode: Era | "auto",
  options: Parameters<typeof openClient>[1],
): Promise<OpenClient> {
  const { version, timeoutMs, roots, sampling, signal } = options;
  const calls = new Set<RunningCall>();
  const capabilities: ClientCapabilities = {
    elicitation: { form: {}, url: {} },
    ...(roots.length > 0 && { roots: {} }),
    ...(sampling && { sampling: {} }),
  };
  const client = new sdk.Client(
    { name: "capstan", version },
    {
      capabilities,
      versionNegotiation: { mode: mode === "modern" ? { pin: "2026-07-28" } : mode },
      // Accept every result here: after the call, a validator that runs in linear time checks it.
      jsonSchemaValidator: {
        getValidator: () => (value) => ({
          valid: true,
          data: value as never,
          errorMessage: undefined,
        }),
      },
    },
  );
  client.setRequestHandler("elicitation/create", (request) =>
    askUser(concernedCalls(calls).at(-1), request),
  );
  if (sampling)
    client.setRequestHandler("sampling/createMessage", (request) =>
      askModel(concernedCalls(calls).at(-1), request),
    );
  if (roots.length > 0)
    client.setRequestHandler("roots/list", () => ({
      roots: roots.map((path) => ({ uri: pathToFileURL(path).href, name: path })),
    }));
  client.setNotificationHandler("notifications/tools/list_changed", options.onListChanged);
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const { level, data } = params;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    for (const call of calls) call.onActivity();
    reportLog(concernedCalls(calls), { level, text });
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no events
  client.onclose = options.onClose;
  // An error in a single message does not end the connection.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no events
  client.onerror = () => {};
  let second = 0;
  let notifications = 0;
  const tolerant = tolerantTransport(transport, {
    reading: options.reading,
    onNotification: () => {
      const now = Math.floor(performance.now() / 1_000);
      if (now !== second) [second, notifications] = [now, 0];
      return ++notifications <= mostNotifications;
    },
  });
  await client.connect(tolerant, { timeout: timeoutMs, ...(signal && { signal }) });
  const era: Era = client.getProtocolEra() === "modern" ? "modern" : "legacy";
  const offered = client.getServerCapabilities() ?? {};
  if (era === "modern" && offered.tools?.listChanged === true)
    client.listen({ toolsListChanged: true }).catch(() => undefined);
  return {
    client,
    era,
    features: {
      resources: offered.resources !== undefined,
      prompts: offered.prompts !== undefined,
    },
    calls,
    failure: options.failure,
    secrets: options.secrets,
    async listTools(given) {
      if (offered.tools === undefined) return [];
      return listPages(client, "tools/list", "tools", {
        name: options.name,
        timeout: timeoutMs,
        ...(given && { signal: given }),
      });
    },
  };
}

/**
 * Reads all pages of a list, unchecked.
 *
 * @throws ConnectionError `too_large`
 */
export async function listPages(
  client: Client,
  method: "tools/list" | "resources/list" | "prompts/list" | "resources/templates/list",
  key: string,
  options: { readonly name: string; readonly timeout: number; readonly signal?: AbortSignal },
): Promise<readonly unknown[]> {
  const { name, ...requestOptions } = options;
  const found: unknown[] = [];
  let [left, cursor] = [largestList, undefined as string | undefined];
  for (let page = 0; page < mostPages; page++) {
    const result = await client.request(
      { method, params: cursor === undefined ? {} : { cursor } },
      requestOptions,
    );
    const raw = rawResult(result);
    left -= lengthOf(raw);
    if (left < 0)
      throw new ConnectionError({
        code: "too_large",
        message: `The list ${method} of the server of ${name} has more than ${largestList / 1024 / 1024} MB.`,
      });
    const items = raw[key];
    if (Array.isArray(items)) found.push(...(items as unknown[]));
    const next = raw["nextCursor"];
    if (typeof next !== "string" || next === cursor || found.length > 10_000) break;
    cursor = next;
  }
  return found;
}

/** Returns the approximate length of a value as JSON, in characters. */
function lengthOf(value: unknown): number {
  let length = 0;
  // A recursive function could overflow the stack.
  for (let level = [value]; level.length > 0;) {
    const next: unknown[] = [];
    for (const one of level) {
      length += typeof one === "string" ? one.length : 8;
      if (typeof one === "object" && one !== null)
        for (const member of Object.values(one)) next.push(member);
    }
    level = next;
  }
  return length;
}

/** Returns a server's error message without the text that the library adds. */
export function failureText(thrown: unknown): string {
  return errorMessage(thrown).replace(/^MCP error -?\d+: /, "");
}
