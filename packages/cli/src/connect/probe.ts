import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { readEventStream } from "@capstan/client";
import { connectTexts } from "../texts/connect.ts";
import type { CommandTarget } from "./clients/client.ts";

const texts = connectTexts.check;

/**
 * Time limit for one response, in seconds. A call that needs approval gets a response after 45 s.
 */
const limitSeconds = 60;

/** An MCP connection that sends requests like a client. */
export interface Probe {
  /** Sends a request and returns its result. @throws ProbeFailure */
  readonly request: (
    method: string,
    params: object,
  ) => Promise<{ readonly [name: string]: unknown }>;
  readonly notify: (method: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A request that failed, with the reason as text. */
export class ProbeFailure extends Error {}

interface Answer {
  readonly id?: unknown;
  readonly result?: { readonly [name: string]: unknown };
  readonly error?: { readonly message?: string };
}

/** Opens a connection over HTTP. */
export function probeHttp({
  url,
  key,
}: {
  readonly url: string;
  readonly key: string | undefined;
}): Probe {
  let session: string | undefined;
  let nextId = 1;
  const send = async (message: object): Promise<Response> => {
    const headers = {
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(session !== undefined && { "Mcp-Session-Id": session }),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const signal = AbortSignal.timeout(limitSeconds * 1_000);
    try {
      const response = await fetch(url, { method: "POST", headers, body, signal });
      if (response.ok) return response;
      const { error } = (await response.json().catch(() => ({}))) as Answer;
      throw new ProbeFailure(texts.status(response.status, error?.message ?? ""));
    } catch (thrown) {
      if (thrown instanceof ProbeFailure) throw thrown;
      throw new ProbeFailure(reasonOf(thrown));
    }
  };
  return {
    async request(method, params) {
      const id = nextId++;
      const response = await send({ id, method, params });
      session = response.headers.get("mcp-session-id") ?? session;
      try {
        for await (const answer of answersOf(response))
          if (answer.id === id) return resultOf(answer);
      } catch (thrown) {
        if (thrown instanceof ProbeFailure) throw thrown;
        const isLate = thrown instanceof Error && thrown.name === "TimeoutError";
        if (!isLate) throw new ProbeFailure(reasonOf(thrown));
      }
      throw new ProbeFailure(texts.noAnswer(limitSeconds));
    },
    async notify(method) {
      const response = await send({ method });
      await response.body?.cancel();
    },
    async close() {
      if (session === undefined) return;
      const headers = {
        "Mcp-Session-Id": session,
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      };
      await fetch(url, { method: "DELETE", headers }).catch(() => {});
    },
  };
}

/** Starts a command that serves MCP on standard input and output. */
export function probeCommand({ command, args }: CommandTarget): Probe {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], cwd: "/" });
  const waiting = new Map<unknown, (answer: Answer | ProbeFailure) => void>();
  let errors = "";
  let ended: ProbeFailure | undefined;
  const end = (reason: string) => {
    ended ??= new ProbeFailure(texts.ended(errors.trim().split("\n").at(-1) || reason));
    for (const answer of waiting.values()) answer(ended);
  };
  child.on("error", ({ message }) => end(message));
  child.on("close", (code) => end(`exit code ${code}`));
  child.stdin.on("error", () => {});
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-2_000);
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    try {
      const answer = JSON.parse(line) as Answer;
      waiting.get(answer.id)?.(answer);
    } catch {
      // Ignore all events except messages.
    }
  });
  let nextId = 1;
  const send = (message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    async request(method, params) {
      if (ended !== undefined) throw ended;
      const id = nextId++;
      const { promise, resolve } = Promise.withResolvers<Answer | ProbeFailure>();
      waiting.set(id, resolve);
      const late = new ProbeFailure(texts.noAnswer(limitSeconds));
      const timer = setTimeout(() => resolve(late), limitSeconds * 1_000);
      send({ id, method, params });
      const answer = await promise;
      clearTimeout(timer);
      waiting.delete(id);
      if (answer instanceof ProbeFailure) throw answer;
      return resultOf(answer);
    },
    notify: async (method) => void send({ method }),
    async close() {
      const closed = new Promise<void>((resolve) => {
        if (child.exitCode !== null || ended !== undefined) return resolve();
        child.once("close", () => resolve());
      });
      child.stdin.end();
      const timer = setTimeout(() => child.kill(), 10_000);
      await closed;
      clearTimeout(timer);
    },
  };
}

async function* answersOf(response: Response): AsyncGenerator<Answer> {
  const isStream = (response.headers.get("content-type") ?? "").includes("text/event-stream");
  if (!isStream || response.body === null) {
    yield (await response.json()) as Answer;
    return;
  }
  for await (const data of readEventStream(response.body))
    if (data !== "") yield JSON.parse(data) as Answer;
}

function resultOf({ result, error }: Answer): { readonly [name: string]: unknown } {
  if (result !== undefined) return result;
  throw new ProbeFailure(error?.message ?? "an error without a message");
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause } = thrown;
  return cause instanceof Error && cause.message !== "" ? cause.message : thrown.message;
}
