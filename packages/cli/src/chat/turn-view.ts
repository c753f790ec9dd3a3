import type { Segment } from "../terminal/terminal.ts";
import type { ChainEvent, OutputEvent } from "@capstan/core";
import type { OutputText, StreamedItem } from "@capstan/core/host";
import type { RunEvent } from "@capstan/contract";
import { callLine, resultPreview, settledCallLine, turnSummary } from "./call-lines.ts";
import type { MarkdownStream } from "../markdown/markdown-stream.ts";
import { printable, printableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { chatTexts } from "../texts/chat.ts";

const texts = chatTexts.turn;

/** Turns a run's events into text, one call's output at a time. Tracks the open line between events. */
export interface TurnView {
  show(event: OutputEvent<RunEvent>): readonly Segment[];
  /** Ends the open line, for example before a prompt. */
  breakLine(): readonly Segment[];
}

export interface TurnViewOptions {
  readonly style: Style;
  /** Formats the model's answers. @default they are shown as they are */
  readonly markdown?: MarkdownStream;
  /** Returns the current width of the terminal. @default results are not previewed */
  readonly columns?: () => number;
}

const asIs: MarkdownStream = { write: (text) => text, end: () => "" };

/** @example view.show({ seq: 3, type: "item.delta", itemId: "i1", delta: "Hel" }) // [{ channel: "answer", text: "Hel" }] */
export function createTurnView({ style, markdown = asIs, columns }: TurnViewOptions): TurnView {
  const items = new Map<string, { readonly item: StreamedItem; shown: number }>();
  const names = new Map<string, string>();
  const progress = new Map<string, string>();
  let segments: Segment[] = [];
  let open: Segment["channel"] | undefined;
  let currentCall: string | undefined;

  function write(channel: Segment["channel"], text: string): void {
    if (text === "") return;
    segments.push({ channel, text });
    open = text.endsWith("\n") ? undefined : channel;
  }

  function line(text: string): void {
    endLine();
    write("notice", `${text}\n`);
  }

  function endLine(): void {
    write("answer", markdown.end());
    if (open !== undefined) write(open, "\n");
    currentCall = undefined;
  }

  function stream(item: StreamedItem, text: string): void {
    if (text === "") return;
    if (item.kind === "text") {
      if (open === "notice") endLine();
      write("answer", markdown.write(printable(text)));
    } else if (item.kind === "reasoning") {
      if (open === "answer") endLine();
      const shown = printable(text);
      write("notice", style.dim(shown));
      open = shown.endsWith("\n") ? undefined : "notice";
    }
  }

  function writeOutput({ callId, text, final }: OutputText): void {
    if (final === true) {
      if (currentCall !== callId) endLine();
      currentCall = callId;
      return stream({ kind: "text" }, text);
    }
    if (currentCall !== callId) {
      line(style.dim(`  ┌ ${nameOf(callId)}`));
      currentCall = callId;
    }
    for (const piece of printable(text).split(/(?<=\n)/)) {
      write("notice", open === undefined ? `${style.dim("  │ ")}${piece}` : piece);
    }
  }

  function nameOf(callId: string): string {
    return names.get(callId) ?? "call";
  }

  function startItem(itemId: string, item: StreamedItem): void {
    items.set(itemId, { item, shown: 0 });
    if (item.kind === "text" || item.kind === "reasoning") endLine();
  }

  function endItem(itemId: string, text: string, incomplete: boolean): void {
    const entry = items.get(itemId);
    if (!entry) return;
    items.delete(itemId);
    const { item, shown } = entry;
    stream(item, text.slice(shown));
    if (item.kind === "text" || item.kind === "reasoning") endLine();
    if (item.kind === "text" && incomplete) line(style.yellow(texts.cutOff));
  }

  function showEvent(event: OutputEvent<RunEvent>): void {
    switch (event.type) {
      case "output.text":
        return writeOutput(event);
      case "output.omitted":
        return line(style.dim(`  ${texts.omitted(nameOf(event.callId))}`));
      case "item.start":
        return startItem(event.itemId, event);
      case "item.delta": {
        const entry = items.get(event.itemId);
        if (!entry) return;
        entry.shown += event.delta.length;
        return stream(entry.item, event.delta);
      }
      case "item.end":
        return endItem(event.itemId, event.text, event.incomplete === true);
      case "call.proposed":
        names.set(event.callId, printableLine(event.name));
        return line(
          style.dim(`${event.parentCallId === undefined ? "" : "  "}→ `) +
            callLine(nameOf(event.callId), event.argumentsText),
        );
      case "call.progress": {
        const { message, done, total } = event.progress;
        const share = done === undefined ? "" : ` ${done}${total === undefined ? "" : `/${total}`}`;
        const text = `  · ${nameOf(event.callId)}${share}${message === undefined ? "" : ` ${printableLine(message)}`}`;
        if (progress.get(event.callId) === message && done !== total) return;
        if (message !== undefined) progress.set(event.callId, message);
        return line(style.dim(text));
      }
      case "call.settled":
        line(settledCallLine(nameOf(event.callId), event.status, event.result, style));
        if (event.status === "success" && columns !== undefined)
          for (const text of resultPreview(event.result, columns())) line(style.dim(`  ┆ ${text}`));
        return;
      case "approval.answered": {
        if (event.decision.by !== "person") return;
        const reason = event.decision.reason;
        return line(
          style.dim(
            `  ${event.decision.verdict}${event.args ? ` ${texts.argumentsEdited}` : ""}${
              reason === undefined || reason === "" ? "" : `: ${printableLine(reason)}`
            }`,
          ),
        );
      }
      case "review.answered": {
        if (event.by !== "person") return;
        const why = event.reason === undefined ? "" : `: ${printableLine(event.reason)}`;
        return line(style.dim(`  ${texts.resultDecision(event.outcome)}${why}`));
      }
      case "client_call.waiting":
        return line(style.yellow(texts.clientCall(nameOf(event.callId))));
      case "model.retry":
        return line(style.yellow(retryText(event)));
      case "model.restarted":
        items.clear();
        return line(style.yellow(texts.restarted(printableLine(event.reason))));
      case "limit.reached":
        return line(style.yellow(printableLine(event.message)));
      case "round.ended":
        if (event.finishReason === "length") return line(style.yellow(texts.tokenLimit));
        if (event.finishReason === "content_filter") return line(style.yellow(texts.contentFilter));
        return;
      case "run.interrupted":
        return line(style.yellow(printableLine(event.message)));
      case "chain.ended":
        return line(turnSummary(event, style));
      case "chain.started":
      case "chain.resumed":
      case "chain.waiting":
      case "round.started":
      case "approval.requested":
      case "review.requested":
      case "call.started":
      case "call.event":
      case "item.logprobs":
      case "run.heartbeat":
      case "run.orphaned":
    }
  }

  function taken(): readonly Segment[] {
    const now = segments;
    segments = [];
    return now;
  }

  return {
    show(event) {
      showEvent(event);
      return taken();
    },
    breakLine() {
      endLine();
      return taken();
    },
  };
}

function retryText(event: Extract<ChainEvent, { type: "model.retry" }>): string {
  const seconds = (event.delayMs / 1000).toFixed(1);
  return texts.retry(printableLine(event.reason), event.attempt, seconds);
}
