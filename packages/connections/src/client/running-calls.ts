import type { ToolContext } from "@capstan/core";

/** A call that waits for its server. */
export interface RunningCall {
  readonly context: ToolContext;
  /** The name of the tool group, in which the question tool is. */
  readonly group: string;
  /** Called when the server shows that it works on the call. */
  readonly heard: () => void;
  /** Questions and log lines of the server during this call, which are limited. */
  questions: number;
  logs: number;
}

/** The most log lines of a server that a call reports. */
const mostLogs = 200;

/** Reports a log line of a server with the calls that run. A server does not say whose it is. */
export function reportLog(
  calls: Iterable<RunningCall>,
  entry: { readonly level: string; readonly text: string },
): void {
  for (const call of calls) {
    if (call.logs++ >= mostLogs) continue;
    call.context.output.event("mcp.log", { level: entry.level, text: entry.text.slice(0, 2_000) });
  }
}
