import type { ChainEvent } from "@capstan/core";
import type { RunEvent } from "@capstan/server/contract";
import { answerApproval, type ApprovalMode } from "./answer-approvals.ts";
import type { Question } from "./approval-question.ts";
import type { Client } from "./client.ts";
import { followRun } from "./follow-run.ts";
import type { Style } from "./style.ts";
import type { Terminal } from "./terminal.ts";
import { createTurnView, type Segment } from "./turn-view.ts";

export type TurnEnd = Extract<ChainEvent, { readonly type: "chain.ended" }>["status"] | "left";

export interface TurnOptions {
  readonly client: Pick<Client, "events" | "answerApproval">;
  readonly run: string;
  /** Events that are known already, to show first. */
  readonly past?: readonly RunEvent[];
  /** The number of the last event that `past` stands for. @default 0 */
  readonly after?: number;
  readonly mode: ApprovalMode;
  readonly terminal: Terminal;
  readonly style: Style;
  readonly signal: AbortSignal;
}

/**
 * Shows a run until it ends, and gets its questions answered on the way, one at a time.
 *
 * @returns how the run ended; `left` where the person left it with a question open
 */
export async function runTurn(options: TurnOptions): Promise<TurnEnd> {
  const { client, run, past = [], after = 0, terminal, style } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const view = createTurnView({ style });
  const questions = new Map<
    string,
    { readonly question: Question; readonly gone: AbortController }
  >();
  let asking: Promise<void> | undefined;
  let left = false;
  let held: Segment[] = [];
  let heldLength = 0;

  /** While a question is open, what else happens is shown after it. */
  function show(segments: readonly Segment[]): void {
    if (!asking) return terminal.write(segments);
    held.push(...segments);
    for (const { text } of segments) heldLength += text.length;
  }

  async function ask(): Promise<void> {
    terminal.write(view.breakLine());
    for (let next = first(questions); next; next = first(questions)) {
      const { question, gone } = next;
      const end = AbortSignal.any([signal, gone.signal]);
      const outcome = await answerApproval({ ...options, question, signal: end });
      questions.delete(question.id);
      terminal.write(held);
      held = [];
      heldLength = 0;
      if (outcome !== "left") continue;
      left = true;
      stop.abort();
    }
  }

  function take(event: RunEvent): void {
    if (event.type === "approval.answered") questions.get(event.approvalId)?.gone.abort();
    if (event.type === "approval.answered") questions.delete(event.approvalId);
    if (event.type === "approval.requested") {
      questions.set(event.approval.id, { question: event.approval, gone: new AbortController() });
    }
    if (event.type === "chain.ended") for (const { gone } of questions.values()) gone.abort();
    show(view.show(event));
  }

  function askIfNeeded(): void {
    if (asking || questions.size === 0) return;
    asking = ask()
      .catch((error: unknown) => stop.abort(error))
      .finally(() => {
        asking = undefined;
      });
  }

  let status: TurnEnd | undefined;
  for (const event of past) {
    take(event);
    if (event.type === "chain.ended") status = event.status;
  }
  if (status) return status;
  askIfNeeded();
  try {
    for await (const event of followRun({ client, run, after, signal })) {
      take(event);
      if (event.type === "chain.ended") status = event.status;
      else askIfNeeded();
      // More than can be kept: the rest stays with the server until the question is answered.
      if (heldLength > heldLimit) await asking;
    }
  } catch (error) {
    if (!left) throw error;
  } finally {
    await asking;
  }
  return status ?? "left";
}

const heldLimit = 256 * 1024;

function first<T>(map: ReadonlyMap<string, T>): T | undefined {
  return map.values().next().value;
}
