import { type ChainEvent, ToolOutputChannel } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type { RunEvent } from "@capstan/contract";
import { answerApproval } from "./answer-approvals.ts";
import type { ApprovalMode } from "./ask.ts";
import { answerOutcomes } from "./answer-outcome.ts";
import { answerReview } from "./answer-review.ts";
import { ApiError, type Client, followRun } from "@capstan/client";
import { createMarkdownStream } from "../markdown/markdown-stream.ts";
import type { Style } from "../terminal/style.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createTurnView } from "./turn-view.ts";
import { chatTexts } from "../texts/chat.ts";

export type TurnEnd = Extract<ChainEvent, { readonly type: "chain.ended" }>["status"] | "left";

export interface TurnOptions {
  readonly client: Pick<
    Client,
    | "url"
    | "events"
    | "answerApproval"
    | "approvalVariable"
    | "review"
    | "previewReview"
    | "calls"
    | "answerOutcome"
  >;
  readonly run: string;
  /** The events so far, which are shown first. */
  readonly past?: readonly RunEvent[];
  /** The number of the last event in `past`. @default 0 */
  readonly after?: number;
  readonly mode: ApprovalMode;
  readonly terminal: Terminal;
  readonly style: Style;
  readonly signal: AbortSignal;
}

/**
 * Shows a run until it ends, and prompts the user for its approvals and reviews, one at a time.
 * Events that arrive during a prompt are shown after the answer.
 *
 * @returns the status of the run; `left` if the user left at a prompt
 */
export async function runTurn(options: TurnOptions): Promise<TurnEnd> {
  const { client, run, terminal, style } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const columns = () => terminal.columns;
  const view = createTurnView({
    style,
    ...(terminal.formatted && { markdown: createMarkdownStream({ style, columns }), columns }),
  });
  // Drop the events: the server has all that are not shown yet.
  const channel = new ToolOutputChannel<RunEvent>({
    position: ({ seq }) => seq,
    replay: (position) => client.events(run, position, signal),
  });
  const questions = createQuestions();
  let failure: Error | undefined;
  const following = follow({ ...options, signal }, (event) => {
    questions.hear(event);
    channel.push(event);
  })
    .catch((error: unknown) => {
      failure = error instanceof Error ? error : new Error(errorMessage(error));
    })
    .finally(() => {
      questions.close();
      channel.end();
    });

  let status: TurnEnd | undefined;
  let isUnknown = false;
  try {
    for await (const event of channel.read()) {
      terminal.write(view.show(event));
      if (event.type === "chain.ended") status = event.status;
      if (event.type === "call.settled") isUnknown ||= event.status === "outcome_unknown";
      if (event.type !== "approval.requested" && event.type !== "review.requested") continue;
      const gone = questions.open(event);
      if (gone === undefined) continue;
      terminal.write(view.breakLine());
      const end = AbortSignal.any([signal, gone]);
      const outcome =
        event.type === "approval.requested"
          ? await answerApproval({ ...options, question: event.approval, signal: end })
          : await answerReview({ ...options, ...event.review, signal: end });
      if (outcome === "left") return "left";
    }
  } finally {
    stop.abort();
    await following;
  }
  if (status === undefined && failure !== undefined) throw failure;
  if (isUnknown && (await answerOutcomes(options)) === "left") return "left";
  return status ?? "left";
}

/** Yields all events of a run: the events so far, then new ones as they arrive. */
async function follow(
  { client, run, past = [], after = 0, signal }: TurnOptions,
  hear: (event: RunEvent) => void,
): Promise<void> {
  for (const event of past) hear(event);
  if (past.some(({ type }) => type === "chain.ended")) return;
  try {
    for await (const event of followRun({ client, run, after, signal })) hear(event);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "connection_lost") throw error;
    const hint = chatTexts.session.connectionLost(run);
    throw new Error(`${error.message} ${hint}`, { cause: error });
  }
}

type Asked = Extract<ChainEvent, { readonly type: "approval.requested" | "review.requested" }>;

function idOf(asked: Asked): string {
  return asked.type === "approval.requested" ? asked.approval.id : asked.review.id;
}

/** The pending requests in the received events, which may be ahead of the shown ones. */
function createQuestions() {
  const waiting = new Map<string, AbortController>();

  function close(): void {
    for (const gone of waiting.values()) gone.abort();
    waiting.clear();
  }

  function answered(id: string): void {
    waiting.get(id)?.abort();
    waiting.delete(id);
  }

  return {
    /**
     * Returns a signal that aborts when the request is answered elsewhere or its run ends, or
     * `undefined` if that has already happened.
     */
    open(asked: Asked): AbortSignal | undefined {
      return waiting.get(idOf(asked))?.signal;
    },
    hear(event: RunEvent): void {
      if (event.type === "approval.requested" || event.type === "review.requested")
        waiting.set(idOf(event), new AbortController());
      if (event.type === "approval.answered") answered(event.approvalId);
      if (event.type === "review.answered") answered(event.reviewId);
      if (event.type === "chain.ended") close();
    },
    close,
  };
}
