import type { ChainEvent } from "@capstan/core";
import { formatCount, formatDuration } from "../terminal/format-numbers.ts";
import { printableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";

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
