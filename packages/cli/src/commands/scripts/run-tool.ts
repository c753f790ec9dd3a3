import { printable } from "../../terminal/printable.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { createToolExecutor } from "../../install/create-tool-executor.ts";
import { openScripts } from "../../install/open-scripts.ts";
import { stopSignal } from "../shared/stop-signal.ts";
import { problemLines } from "../../install/problem-lines.ts";

/** How a call ended, for whoever made it on a command line. */
export interface RanTool {
  readonly status: string;
  /** What the model would read. */
  readonly text: string;
  readonly data?: unknown;
  readonly duration_ms: number;
}

/** Makes one call of a script's tool, and says on standard error what it prints. */
export async function runTool(options: {
  readonly tool: string;
  readonly args: string;
  readonly configuration: Pick<Configuration, "scripts" | "dataDir" | "rules">;
}): Promise<RanTool> {
  const { tool, args, configuration } = options;
  const scripts = await openScripts({ configuration, reserved: [], watch: false });
  const stop = new AbortController();
  void stopSignal().then((signal) => stop.abort(new Error(`${signal} came`)));
  try {
    const { groups, files } = scripts.library;
    const executor = createToolExecutor({
      groups,
      rules: configuration.rules,
      // Who calls on a command line has seen the arguments: they typed them.
      approvals: {
        request: () => ({ decision: "allow" }),
        review: () => ({ decision: "release" }),
      },
    });
    if (executor.getTool(tool) === undefined)
      for (const line of problemLines(
        files.flatMap(({ problems }) => problems),
        process.cwd(),
      ))
        process.stderr.write(`${line}\n`);
    const result = await executor.execute(tool, args, {
      signal: stop.signal,
      onOutput: (_call, output) => {
        if (output.type === "text") process.stderr.write(printable(output.text));
        if (output.type !== "progress") return;
        const { message, done, total } = output.progress;
        const share = done === undefined ? "" : ` ${done}${total === undefined ? "" : `/${total}`}`;
        process.stderr.write(`${printable(`${message ?? ""}${share}`.trim())}\n`);
      },
    });
    if (result.status === "pending")
      return { status: result.status, text: "It waits for a person.", duration_ms: 0 };
    const { status, finalText, formattedText, durationMs } = result;
    return {
      status,
      text: status === "success" ? (formattedText ?? finalText) : finalText,
      ...(status === "success" && { data: result.data }),
      duration_ms: durationMs,
    };
  } finally {
    await scripts.close();
  }
}
