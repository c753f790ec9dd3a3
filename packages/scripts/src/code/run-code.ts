import type { JsonValue, ToolContext } from "@capstan/core";
import { FrameReader } from "../run/worker/frames.ts";
import type { Program, ProgramEnd, Sandbox } from "@capstan/sandbox";
import { CapturedOutput } from "./captured-output.ts";

/** The result of code: its output, and how it ended. */
export interface CodeRun {
  /** Standard output and error in the order of arrival; long output without its middle. */
  readonly output: string;
  readonly end: ProgramEnd;
  /** The answer on its separate channel. */
  readonly answer?: JsonValue;
}

/** The size of the largest answer in bytes, the same as a variable's. */
const maxAnswerBytes = 64 * 1024 * 1024;

/**
 * Runs a program to its end. Its output is streamed to the call's output and kept.
 *
 * @throws the signal's reason, after ending the program and everything that it started
 */
export async function runCode(options: {
  readonly sandbox: Sandbox;
  readonly program: Program;
  readonly context: Pick<ToolContext, "output" | "signal">;
  /** The standard input. @default empty */
  readonly stdin?: string;
  /** Whether standard error is shown. @default "shown" */
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
    // The call ends when nothing of it runs any more, and its output has arrived.
    void running.ended.then(() => stopped.reject(signal.reason as Error));
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    running.stdin.end(stdin);
    const end = await Promise.race([running.ended, stopped.promise]);
    // The last output may still be in the pipe.
    await Promise.race([closed, stopped.promise]);
    signal.throwIfAborted();
    return { output: kept.finish(), end, ...(answer !== undefined && { answer }) };
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The output of code, and the value of its last expression. */
export interface CodeResult {
  readonly output: string;
  /** Absent if there is no value. */
  readonly value?: JsonValue;
}

/** Returns the output followed by the value. */
export function formatCodeResult({ output, value }: CodeResult): string {
  if (value === undefined) return output === "" ? "[No output.]" : output;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return output === "" ? text : `${output.replace(/\n$/, "")}\n${text}`;
}
