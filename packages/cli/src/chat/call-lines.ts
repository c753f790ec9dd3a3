import type { CallResult, ChainEvent } from "@capstan/core";
import type { SettledStatus } from "@capstan/core/host";
import { formatCount, formatDuration, type Style } from "../terminal/style.ts";
import { printableLine } from "../terminal/printable.ts";
import { chatTexts } from "../texts/chat.ts";

const texts = chatTexts.turn;

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
  // A call with an unknown outcome has no duration, because its end was not observed.
  const time = status === "outcome_unknown" ? texts.timeUnknown : formatDuration(result.durationMs);
  const { shown, withheld } = result.tokens;
  if (status === "success") {
    const stored = result.cacheVarResult === undefined ? "" : texts.storedAs(result.cacheVarResult);
    const parts = [
      `${style.green("✓")} ${name}`,
      time,
      formatCount(shown, "token"),
      ...(withheld > 0 ? [texts.withheld(withheld.toLocaleString("en-US")) + stored] : []),
    ];
    return parts.join(" · ");
  }
  const why = printableLine(result.rejectReason ?? result.error?.message ?? "");
  const what = why === "" ? texts.statuses[status] : `${texts.statuses[status]}: ${why}`;
  return `${style.red("✗")} ${name} · ${time} · ${what}`;
}

const previewLines = 3;
/** Further lines of a result are not counted. */
const mostLines = 1_000;

/** Returns the first lines of a result as the model reads it, each in one line of the terminal. */
export function resultPreview(
  { finalText, parts }: CallResult,
  columns: number,
): readonly string[] {
  const lines = finalText.split("\n", mostLines).filter((line) => line.trim() !== "");
  const isCounted = lines.length < mostLines;
  const room = Math.max(20, columns - 6);
  const shown = lines.slice(0, previewLines).map((line) => {
    const text = printableLine(line.slice(0, 4 * room));
    return text.length > room ? `${text.slice(0, room - 1)}…` : text;
  });
  const left = lines.length - shown.length;
  const files = (parts ?? []).filter(({ type }) => type !== "text").length;
  return [
    ...shown,
    ...(left > 0 ? [isCounted ? texts.moreLines(left) : texts.manyLines(left)] : []),
    ...(files > 0 ? [formatCount(files, "file")] : []),
  ];
}

type ChainEnded = Extract<ChainEvent, { readonly type: "chain.ended" }>;

/** Returns the last line of a turn: its status, its duration and its tokens. */
export function turnSummary(event: ChainEnded, style: Style): string {
  const { stats, usage } = event;
  const numbers = [
    formatDuration(stats.totalTime),
    ...(stats.totalCalls > 0 ? [formatCount(stats.totalCalls, "call")] : []),
    `${formatCount(usage.inputTokens, "token")} in, ${usage.outputTokens.toLocaleString("en-US")} out`,
    ...(stats.tokensWithheld > 0
      ? [texts.resultsWithheld(formatCount(stats.tokensWithheld, "token"))]
      : []),
  ].join(" · ");
  const how = howItEnded(event);
  return how === "" ? style.dim(numbers) : `${style.red(how)}\n${style.dim(numbers)}`;
}

function howItEnded({ status, error }: ChainEnded): string {
  const reason = printableLine(error?.message ?? "");
  switch (status) {
    case "completed":
      return "";
    case "aborted":
      return texts.stopped;
    case "timeout":
      return texts.timedOut(reason);
    case "error":
      return texts.failed(reason);
  }
}
