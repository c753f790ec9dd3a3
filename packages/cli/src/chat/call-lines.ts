import type { CallResult } from "@capstan/core";
import type { SettledStatus } from "@capstan/core/host";
import { formatCount, formatDuration } from "../terminal/format-numbers.ts";
import { printableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";

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
