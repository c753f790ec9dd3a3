import { PassThrough } from "node:stream";
import type { Program, ProgramEnd, RunningProgram, Sandbox } from "@capstan/sandbox";

/** A JSON-RPC message. */
export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
  readonly result?: { readonly [key: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string };
}

/** A started program of a fake server. */
export interface FakeProcess {
  readonly program: Program;
  /** The messages that the server received. */
  readonly received: Message[];
  /** Sends a message, or writes raw text. */
  readonly send: (message: object | string) => void;
  readonly stderr: (text: string) => void;
  /** Ends the program, as if it stopped by itself. */
  readonly die: () => void;
  isEnded: boolean;
}

/**
 * Answers a request with a result or an error. `sent`: the function has sent the answer itself, or
 * sends none. `undefined` from `options.answer` selects the default answer.
 */
export type Answer = (
  request: Message & { readonly method: string },
  process: FakeProcess,
) => object | "sent" | undefined | Promise<object | "sent" | undefined>;

/** A tool as servers list it. */
export const echoTool = {
  name: "echo",
  description: "Returns its text.",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
};

/** Returns the text of a call's argument. */
export const echo: Answer = ({ params }) => ({
  content: [
    { type: "text", text: String((params?.["arguments"] as { text?: unknown } | undefined)?.text) },
  ],
});

/**
 * Creates a sandbox that runs servers in this process, behind the streams of programs.
 *
 * @param options.tools the tools that the server lists
 * @param options.call answers `tools/call` @default echo
 * @param options.answer answers all other requests first
 */
export function fakeServer(
  options: {
    tools?: readonly unknown[];
    call?: Answer;
    answer?: Answer;
    capabilities?: object;
  } = {},
): { readonly sandbox: Sandbox; readonly processes: FakeProcess[]; options: typeof options } {
  const processes: FakeProcess[] = [];
  const fake = { options, processes, sandbox: {} as Sandbox };
  const start = (program: Program): RunningProgram => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const { promise: ended, resolve } = Promise.withResolvers<ProgramEnd>();
    const die = (end: ProgramEnd = { status: "exited", code: 1 }) => {
      if (process.isEnded) return;
      process.isEnded = true;
      stdout.end();
      stderr.end();
      stdin.destroy();
      setImmediate(() => resolve(end));
    };
    const process: FakeProcess = {
      program,
      received: [],
      send: (message) =>
        void (
          process.isEnded ||
          stdout.write(typeof message === "string" ? message : `${JSON.stringify(message)}\n`)
        ),
      stderr: (text) => void stderr.write(text),
      die: () => die(),
      isEnded: false,
    };
    processes.push(process);
    let rest = "";
    stdin.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) void receive(JSON.parse(line) as Message);
    });
    stdin.on("end", () => die({ status: "exited", code: 0 }));
    const receive = async (message: Message) => {
      process.received.push(message);
      const { id, method } = message;
      if (method === undefined || id === undefined) return;
      const request = { ...message, method };
      const result =
        (await fake.options.answer?.(request, process)) ??
        (await standardAnswer(request, process, fake.options));
      if (typeof result === "object") process.send({ jsonrpc: "2.0", id, ...result });
    };
    return {
      stdin,
      stdout,
      stderr,
      channels: [],
      ended,
      kill: () => die({ status: "killed", signal: "SIGKILL" }),
      hold: () => {},
    };
  };
  Object.assign(fake.sandbox, { kind: "bubblewrap", start });
  return fake;
}

async function standardAnswer(
  request: Message & { readonly method: string },
  process: FakeProcess,
  {
    tools = [echoTool],
    call = echo,
    capabilities = { tools: { listChanged: true } },
  }: NonNullable<Parameters<typeof fakeServer>[0]>,
): Promise<object | "sent" | undefined> {
  if (request.method === "initialize")
    return {
      result: {
        protocolVersion: "2025-11-25",
        capabilities,
        serverInfo: { name: "fake", version: "1" },
      },
    };
  if (request.method === "tools/list") return { result: { tools } };
  if (request.method === "tools/call") {
    const result = await call(request, process);
    if (typeof result !== "object" || "error" in result) return result;
    return { result };
  }
  return { error: { code: -32601, message: `There is no method ${request.method}.` } };
}
