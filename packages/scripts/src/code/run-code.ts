import type { JsonValue, ToolContext } from "@capstan/core";
import { FrameReader } from "../run/worker/frames.ts";
import type { Program, ProgramEnd, Sandbox } from "@capstan/sandbox";
import { CapturedOutput } from "./captured-output.ts";

/** What code did: what it said, and how it ended. */
export interface CodeRun {
  /** Standard output and error as they came, long ones without their middle. */
  readonly output: string;
  readonly end: ProgramEnd;
  /** What it answered on its own channel. */
  readonly answer?: JsonValue;
}

/** The largest answer: a variable's value cannot be larger. */
const maxAnswerBytes = 64 * 1024 * 1024;

/**
 * Runs a program to its end: what it says is streamed to the call's output, and kept.
 *
 * @throws the signal's reason; the program is ended then, with all it started
 */
export async function runCode(options: {
  readonly sandbox: Sandbox;
  readonly program: Program;
  readonly context: Pick<ToolContext, "output" | "signal">;
  /** What it reads. @default nothing */
  readonly stdin?: string;
  /** What becomes of its standard error. @default "shown" */
  readonly errors?: "shown" | "dropped";
}): Promise<CodeRun> {
  const { sandbox, program, context, stdin = "", errors = "shown" } = options;
  const { signal, output } = context;
  signal.throwIfAborted();
  const running = sandbox.start({ ...program, channels: 1 });
  const kept = new CapturedOutput((text) => output.write(text));
  const reader = new FrameReader({ maxBytes: maxAnswerBytes });
  let answer: JsonValue | undefined;
  running.stdout.on("data", (chunk: Buffer) => kept.push(chunk, "out"));
  running.stderr.on("data", (chunk: Buffer) => {
    if (errors === "shown") kept.push(chunk, "err");
  });
  running.channels[0]?.on("data", (chunk: Buffer) => {
    for (const decoded of reader.push(chunk)) {
      if (decoded.status === "message") answer = decoded.message as JsonValue;
      else running.kill();
    }
  });
  const closed = Promise.all(
    [running.stdout, running.stderr, ...running.channels].map(
      (stream) => new Promise<void>((resolve) => void stream.once("close", resolve)),
    ),
  );
  const stopped = Promise.withResolvers<never>();
  const abort = () => {
    running.kill();
    stopped.reject(signal.reason as Error);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    running.stdin.end(stdin);
    const end = await Promise.race([running.ended, stopped.promise]);
    // What was said last may still be on its way.
    await Promise.race([closed, stopped.promise]);
    return { output: kept.finish(), end, ...(answer !== undefined && { answer }) };
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** What code said, and the value of its last expression. */
interface CodeResult {
  readonly output: string;
  /** Absent where it gave none. */
  readonly value?: JsonValue;
}

/** Its value after what it said. */
export function formatCodeResult({ output, value }: CodeResult): string {
  if (value === undefined) return output === "" ? "[It said nothing.]" : output;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return output === "" ? text : `${output.replace(/\n$/, "")}\n${text}`;
}
