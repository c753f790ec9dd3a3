import type { Client } from "@capstan/client";
import type { ApprovalView, CorruptView } from "@capstan/contract";
import { printableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { notice, type Terminal } from "../terminal/terminal.ts";
import { chatTexts } from "../texts/chat.ts";
import { answerApproval } from "./answer-approvals.ts";
import { answerReview } from "./answer-review.ts";

const texts = chatTexts.openApprovals;

/**
 * Asks the user to answer all pending approval requests, of all conversations and connected
 * programs, oldest first. Without a terminal, only lists them.
 */
export async function answerOpenApprovals(options: {
  readonly client: Pick<
    Client,
    "url" | "pendingApprovals" | "answerApproval" | "approvalVariable" | "review" | "previewReview"
  >;
  readonly terminal: Terminal;
  readonly style: Style;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { client, terminal, style, signal } = options;
  const pending = (await client.pendingApprovals(signal)).filter(isReadable);
  if (pending.length === 0) terminal.write(notice(texts.none));
  for (const approval of pending.toReversed()) {
    if (signal.aborted) return;
    const { run, program, toolName } = approval;
    const from = program === undefined ? "" : printableLine(program);
    terminal.write(notice(style.bold(texts.heading(printableLine(toolName), from, run))));
    if (!terminal.interactive) continue;
    const asked = { ...options, mode: "ask" } as const;
    const outcome =
      approval.kind === "execution"
        ? await answerApproval({ ...asked, question: approval })
        : await answerReview({ ...asked, id: approval.id, toolName });
    if (outcome === "left") return;
  }
  if (!terminal.interactive && pending.length > 0) terminal.write(notice(texts.noTerminal));
}

function isReadable(entry: ApprovalView | CorruptView): entry is ApprovalView {
  return entry.object === "approval";
}
