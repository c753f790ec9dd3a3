import type { CallResult, ChainEvent } from "@capstan/core";
import type { SettledStatus } from "@capstan/core/host";
import { formatCount, formatDuration, type Style } from "../terminal/style.ts";
import { printableLine } from "../terminal/printable.ts";

/** Returns a call as one line: `ListFiles {"path":"."}`. Long arguments are truncated. */
export function callLine(name: string, argumentsText: string, limit = 100): string {
  const args = printableLine(argumentsText);
  const cut = args.length > limit ? `${args.slice(0, limit - 1)}…` : args;
  return cut === "" ? name : `${name} ${cut}`;
}

/** Returns a settled call as one line: `✓ ListFiles · 12 ms · 340 tokens`. */
export function settledCallLine(
  name: string,
  status: SettledStatus,
  result: CallResult,
  style: Style,
): string {
  // Nobody saw the end of a call that may or may not have happened.
  const time = status === "outcome_unknown" ? "time unknown" : formatDuration(result.durationMs);
  const { shown, withheld } = result.tokens;
  if (status === "success") {
    const kept = result.cacheVarResult === undefined ? "" : `, kept as ${result.cacheVarResult}`;
    const parts = [
      `${style.green("✓")} ${name}`,
      time,
      formatCount(shown, "token"),
      ...(withheld > 0 ? [`${withheld.toLocaleString("en-US")} withheld${kept}`] : []),
    ];
    return parts.join(" · ");
  }
  const why = printableLine(result.rejectReason ?? result.error?.message ?? "");
  const what = why === "" ? words[status] : `${words[status]}: ${why}`;
  return `${style.red("✗")} ${name} · ${time} · ${what}`;
}

const words: { readonly [status in Exclude<SettledStatus, "success">]: string } = {
  error: "failed",
  timed_out: "ran out of time",
  execution_rejected: "refused",
  result_rejected: "ran, but its result was withheld",
  not_found: "no such tool",
  cancelled: "stopped",
  outcome_unknown: "may or may not have happened",
};

type ChainEnded = Extract<ChainEvent, { readonly type: "chain.ended" }>;

/** Returns the last line of a turn: its end, its time and its tokens. */
export function turnSummary(event: ChainEnded, style: Style): string {
  const { stats, usage } = event;
  const numbers = [
    formatDuration(stats.totalTime),
    ...(stats.totalCalls > 0 ? [formatCount(stats.totalCalls, "call")] : []),
    `${formatCount(usage.inputTokens, "token")} in, ${usage.outputTokens.toLocaleString("en-US")} out`,
    ...(stats.tokensWithheld > 0
      ? [`${formatCount(stats.tokensWithheld, "token")} of results withheld`]
      : []),
  ].join(" · ");
  const how = howItEnded(event);
  return how === "" ? style.dim(numbers) : `${style.red(how)}\n${style.dim(numbers)}`;
}

function howItEnded({ status, error }: ChainEnded): string {
  const said = printableLine(error?.message ?? "");
  switch (status) {
    case "completed":
      return "";
    case "aborted":
      return "Stopped.";
    case "timeout":
      return said === "" ? "Out of time." : `Out of time: ${said}`;
    case "error":
      return said === "" ? "The turn failed." : `The turn failed: ${said}`;
  }
}
