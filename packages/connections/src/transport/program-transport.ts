import type { RunningProgram } from "@capstan/sandbox";
import type { JSONRPCMessage, Transport } from "../libraries/mcp-client.ts";
import { ConnectionError } from "./connection-error.ts";

/** The largest message of a server, in bytes. */
export const largestMessage = 16 * 1024 * 1024;

/** Time between closing a program's input and killing it, in milliseconds. */
const closeMs = 500;

/** The output of a program other than messages. */
export interface ProgramNoise {
  /** The number of lines on standard output other than messages. */
  lines: number;
  /** The end of its standard error, at most 4 kB. */
  stderr: string;
}

/** A connection to a program on its standard streams. */
export interface ProgramTransport extends Transport {
  readonly noise: Readonly<ProgramNoise>;
  /** Resolves after the program and all its processes have ended. */
  readonly ended: Promise<unknown>;
  /** Returns why the connection ended by itself. */
  readonly failure: () => ConnectionError | undefined;
}

/**
 * Exchanges MCP messages with a running program. Counts and drops other lines. A line
 * beyond the size limit ends the connection.
 *
 * @param onStderr receives each line of standard error, cut at 2,000 characters
 */
export function programTransport(
  program: RunningProgram,
  {
    name,
    onStderr = () => {},
  }: { readonly name: string; readonly onStderr?: (line: string) => void },
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
  const transport: ProgramTransport = {
    noise,
    ended: program.ended,
    failure: () => failure,
    async start() {
      program.stdout.on(
        "data",
        lineReader(largestMessage, {
          onLine(line) {
            if (isClosed) return;
            const message = messageOf(line);
            if (message !== undefined) transport.onmessage?.(message);
            else if (line.trim() !== "") noise.lines++;
          },
          onTooLong: () =>
            fail(
              new ConnectionError({
                code: "too_large",
                message: `The server of ${name} sent a message of more than ${largestMessage / 1024 / 1024} MB, and was ended. Ask for less at once.`,
              }),
            ),
        }),
      );
      program.stderr.setEncoding("utf8");
      program.stderr.on("data", (text: string) => {
        noise.stderr = (noise.stderr + text).slice(-4_096);
        for (const line of text.slice(0, 20_000).split("\n").slice(0, 20))
          if (line.trim() !== "") onStderr(line.slice(0, 2_000));
      });
      void program.ended.then((how) => {
        if (how.status === "not_started")
          failure ??= new ConnectionError({
            code: "not_connected",
            message: `The server of ${name} cannot be started: ${how.message}`,
          });
        end();
      });
      return Promise.resolve();
    },
    send(message) {
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

/** Splits a stream into lines of bounded length. */
function lineReader(
  longest: number,
  {
    onLine,
    onTooLong,
  }: { readonly onLine: (line: string) => void; readonly onTooLong: () => void },
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;
  return (chunk) => {
    if (isOver) return;
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(10, from);
      const piece = chunk.subarray(from, at === -1 ? undefined : at);
      size += piece.length;
      if (size > longest) {
        isOver = true;
        parts = [];
        onTooLong();
        return;
      }
      parts.push(piece);
      if (at === -1) return;
      const line = Buffer.concat(parts).toString("utf8");
      parts = [];
      size = 0;
      from = at + 1;
      onLine(line);
    }
  };
}

function messageOf(line: string): JSONRPCMessage | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const value = JSON.parse(line) as { readonly jsonrpc?: unknown } | null;
    return value?.jsonrpc === "2.0" ? (value as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}
