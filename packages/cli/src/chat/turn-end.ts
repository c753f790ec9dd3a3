import type { ChainEvent } from "@capstan/core";
import { countText, durationText } from "../terminal/numbers.ts";
import { printableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";

type ChainEnded = Extract<ChainEvent, { readonly type: "chain.ended" }>;

/** The last line of a turn: how it ended, its time and its tokens. */
export function endText(event: ChainEnded, style: Style): string {
  const { stats, usage } = event;
  const numbers = [
    durationText(stats.totalTime),
    ...(stats.totalCalls > 0 ? [countText(stats.totalCalls, "call")] : []),
    `${countText(usage.inputTokens, "token")} in, ${usage.outputTokens.toLocaleString("en-US")} out`,
    ...(stats.tokensWithheld > 0
      ? [`${countText(stats.tokensWithheld, "token")} of results withheld`]
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
