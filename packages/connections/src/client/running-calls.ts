import type { ToolContext } from "@capstan/core";

/** A call that waits for its server. */
export interface RunningCall {
  readonly context: ToolContext;
  /** The name of the tool group that contains the tool for questions. */
  readonly group: string;
  /** Called when the server shows that it is still working on the call. */
  readonly heard: () => void;
  /** The numbers of questions and log lines during this call, which are limited. */
  questions: number;
  logs: number;
}

/** The maximum number of a server's log lines that a call reports. */
const mostLogs = 200;

/** Reports a server's log line with all running calls: the line does not name its call. */
export function reportLog(
  calls: Iterable<RunningCall>,
  entry: { readonly level: string; readonly text: string },
): void {
  for (const call of calls) {
    if (call.logs++ >= mostLogs) continue;
    call.context.output.event("mcp.log", { level: entry.level, text: entry.text.slice(0, 2_000) });
  }
}
