import type { ToolContext } from "@capstan/core";

/** A call that waits for its server. */
export interface RunningCall {
  readonly context: ToolContext;
  /** The name of the tool group that contains the tool for questions. */
  readonly group: string;
  /** Called when the server shows that it is still working on the call. */
  readonly onActivity: () => void;
  /** The numbers of questions and log lines during this call, which are limited. */
  questions: number;
  logs: number;
}

/** The maximum number of a server's log lines that a call reports. */
const mostLogs = 200;

/**
 * Returns the running calls to which a server's message can belong if it names no call. On a shared
 * connection, the message could contain data of another user's call, so there are none while several
 * users call the server.
 */
export function concernedCalls(calls: ReadonlySet<RunningCall>): readonly RunningCall[] {
  const users = new Set(Array.from(calls, ({ context }) => context.principal.id));
  return users.size > 1 ? [] : [...calls];
}

/** Reports a server's log line with calls. */
export function reportLog(
  calls: readonly RunningCall[],
  entry: { readonly level: string; readonly text: string },
): void {
  for (const call of calls) {
    if (call.logs++ >= mostLogs) continue;
    call.context.output.event("mcp.log", { level: entry.level, text: entry.text.slice(0, 2_000) });
  }
}
