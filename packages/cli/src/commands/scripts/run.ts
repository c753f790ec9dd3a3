import {
  CommandFailure,
  type Invocation,
  printJson,
  printNotice,
} from "../../arguments/command.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { problemLines } from "../../install/check-tools.ts";
import { createToolExecutor } from "../../install/create-tool-executor.ts";
import { openScripts } from "../../install/open-scripts.ts";
import { printable } from "../../terminal/printable.ts";
import { readConfiguration } from "../shared/read-configuration.ts";
import { stopSignal } from "../shared/stop-signal.ts";
import { scriptTexts } from "../../texts/scripts.ts";

const texts = scriptTexts.run;

/** Calls a tool of a script. The exit code is 1 if the call fails. */
export async function runScript({ values, positionals }: Invocation): Promise<number> {
  const [tool, args = "{}", ...more] = positionals;
  if (tool === undefined || more.length > 0) throw new CommandFailure(texts.usage, 2);
  const configuration = await readConfiguration(values);
  const result = await runTool({ tool, args, configuration });
  if (values["json"] === true) printJson(result);
  // Another program gets the text unchanged.
  else process.stdout.write(`${process.stdout.isTTY ? printable(result.text) : result.text}\n`);
  return result.status === "success" ? 0 : 1;
}

/** The result of a call that was made on the command line. */
interface RanTool {
  readonly status: string;
  /** The text that the model would read. */
  readonly text: string;
  readonly data?: unknown;
  readonly duration_ms: number;
}

/** Makes one call of a script's tool. Its output goes to standard error. */
async function runTool(options: {
  readonly tool: string;
  readonly args: string;
  readonly configuration: Pick<
    Configuration,
    "scripts" | "dataDir" | "acceptedDir" | "rules" | "roots" | "settingsFile" | "secretKey"
  >;
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
      // The caller has typed the arguments, so the call needs no approval.
      approvals: {
        request: () => ({ decision: "allow" }),
        review: () => ({ decision: "release" }),
      },
    });
    const problems = files.flatMap((file) => file.problems);
    if (executor.getTool(tool) === undefined)
      for (const line of problemLines(problems, process.cwd())) printNotice(line);
    const result = await executor.execute(tool, args, {
      signal: stop.signal,
      onOutput: (_call, output) => {
        if (output.type === "text") process.stderr.write(printable(output.text));
        if (output.type !== "progress") return;
        const { message, done, total } = output.progress;
        const share = done === undefined ? "" : ` ${done}${total === undefined ? "" : `/${total}`}`;
        printNotice(printable(`${message ?? ""}${share}`.trim()));
      },
    });
    if (result.status === "pending")
      return { status: result.status, text: texts.waits, duration_ms: 0 };
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
