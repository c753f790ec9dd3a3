import { setTimeout as delay } from "node:timers/promises";
import type { RunningProgram } from "@capstan/sandbox";
import type { JSONRPCMessage, Transport } from "../libraries/mcp-client.ts";
import { ConnectionError } from "./connection-error.ts";
import { type MessageBudget, messageBudget } from "./message-budget.ts";
import { exceededLimit, largestMessage } from "./message-limits.ts";
import { parseMessage } from "./parse-message.ts";
import { type ProgramNoise, readErrors } from "./read-errors.ts";
import { type Line, lineReader } from "./read-lines.ts";

/** Time between closing a program's input and killing it, in milliseconds. */
const closeMs = 500;

/** Time for reading the last messages of a program after its end, in milliseconds. */
const lastMessagesMs = 1_000;

/** The maximum size of messages that a program has not read yet, in bytes. */
const mostUnread = 2 * largestMessage;

/** A connection to a program on its standard streams. */
export interface ProgramTransport extends Transport {
  readonly noise: Readonly<ProgramNoise>;
  /** Resolves after the program and all its processes have ended. */
  readonly ended: Promise<unknown>;
  /** Returns why the connection ended by itself. */
  readonly failure: () => ConnectionError | undefined;
}

/**
 * Exchanges MCP messages with a running program. Counts and drops other lines. A message beyond the
 * limits ends the connection. A program that sends too much without being asked is read slowly.
 *
 * @param options.onStderr receives lines of standard error, truncated to 2,000 characters
 */
export function programTransport(
  program: RunningProgram,
  {
    name,
    budget = messageBudget(),
    onStderr = () => {},
  }: {
    readonly name: string;
    readonly budget?: MessageBudget;
    readonly onStderr?: (line: string) => void;
  },
): ProgramTransport {
  const noise: ProgramNoise = { lines: 0, stderr: "" };
  let failure: ConnectionError | undefined;
  let isClosed = false;
  const end = () => {
    if (isClosed) return;
    isClosed = true;
    transport.onclose?.();
  };
  const fail = (error: ConnectionError) => {
    failure ??= error;
    transport.onerror?.(error);
    program.kill();
    end();
  };
  const failAt = (limit: string) =>
    fail(
      new ConnectionError({
        code: "too_large",
        message: `The server of ${name} sent a message of ${limit}, and was stopped. Ask for less at a time.`,
      }),
    );
  const receive = async (line: Line): Promise<void> => {
    if (line.status === "too_long") return failAt(exceededLimit("too_large"));
    const { parts, size } = line;
    const isJson = /^\s*\{/.test(startOf(parts));
    const parsed = isJson ? parseMessage(parts) : ({ status: "invalid" } as const);
    const read = parsed instanceof Promise ? await parsed : parsed;
    if (isClosed) return;
    if (read.status === "too_many_values" || read.status === "too_deep")
      return failAt(exceededLimit(read.status));
    const values = read.status === "parsed" ? read.values : 0;
    const wait = budget.take({ bytes: size, values });
    if (read.status === "parsed" && isMessage(read.message)) transport.onmessage?.(read.message);
    else if (startOf(parts).trim() !== "") noise.lines++;
    if (wait !== undefined) await Promise.race([wait, program.ended]);
  };
  const readOutput = async (): Promise<void> => {
    const linesOf = lineReader({ longest: largestMessage });
    for await (const chunk of program.stdout as AsyncIterable<Buffer>)
      for (const line of linesOf(chunk)) {
        await receive(line);
        if (isClosed) return;
      }
  };
  const transport: ProgramTransport = {
    noise,
    ended: program.ended,
    failure: () => failure,
    async start() {
      const reading = readOutput().catch((thrown: unknown) =>
        fail(
          new ConnectionError(
            {
              code: "not_connected",
              message: `The output of the server of ${name} cannot be read.`,
              retryable: true,
            },
            { cause: thrown },
          ),
        ),
      );
      readErrors(program.stderr, { noise, onLine: onStderr });
      void program.ended.then(async (how) => {
        if (how.status === "not_started")
          failure ??= new ConnectionError({
            code: "not_connected",
            message: `The server of ${name} cannot be started: ${how.message}`,
          });
        await Promise.race([reading, delay(lastMessagesMs, undefined, { ref: false })]);
        end();
      });
      return Promise.resolve();
    },
    send(message) {
      if (program.stdin.writableLength > mostUnread)
        fail(
          new ConnectionError({
            code: "not_connected",
            message: `The server of ${name} did not read ${mostUnread / 1024 / 1024} MB of messages, and was stopped.`,
            retryable: true,
          }),
        );
      if (isClosed || !program.stdin.writable)
        return Promise.reject(
          failure ??
            new ConnectionError({
              code: "not_connected",
              message: `The server of ${name} has ended.`,
              retryable: true,
            }),
        );
      return new Promise((resolve) => {
        // A broken pipe needs no error here: the end of the program reports it.
        program.stdin.write(`${JSON.stringify(message)}\n`, () => resolve());
      });
    },
    async close() {
      program.stdin.end();
      const timer = setTimeout(() => program.kill(), closeMs);
      await program.ended;
      clearTimeout(timer);
      end();
    },
  };
  return transport;
}

/** Returns the start of a line, which shows whether it is JSON. */
function startOf(parts: readonly Buffer[]): string {
  return parts[0]?.toString("utf8", 0, 100) ?? "";
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return (value as { readonly jsonrpc?: unknown } | null)?.jsonrpc === "2.0";
}
