import { errorMessage } from "@capstan/core/host";
import type { ConversationView } from "@capstan/contract";
import type { ApprovalMode } from "./ask.ts";
import type { Client } from "@capstan/client";
import { printable } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { notice, type Terminal } from "../terminal/terminal.ts";

/** The API requests that a chat sends. */
export type ChatClient = Pick<
  Client,
  | "answerApproval"
  | "approvalVariable"
  | "answerOutcome"
  | "calls"
  | "cancelRun"
  | "conversation"
  | "conversations"
  | "createConversation"
  | "events"
  | "grants"
  | "info"
  | "latestConversation"
  | "models"
  | "previewReview"
  | "review"
  | "revokeGrant"
  | "runs"
  | "runsOfUnknownOutcome"
  | "startRun"
  | "toolGroups"
  | "uploadFile"
  | "url"
  | "variable"
  | "variables"
>;

/** A turn that is being shown. */
export interface RunningTurn {
  readonly run: string;
  /** Stops showing it; the run itself continues. */
  readonly stop: AbortController;
  /** Whether the user has requested its cancellation. */
  cancelled: boolean;
}

/** The state of a chat in the terminal. */
export interface ChatSession {
  readonly client: ChatClient;
  readonly terminal: Terminal;
  readonly style: Style;
  readonly mode: ApprovalMode;
  /** Aborts when the user leaves. */
  readonly leave: AbortController;
  model: string;
  /** The conversation. Absent until the first message creates one. */
  conversation: ConversationView | undefined;
  running: RunningTurn | undefined;
  /** Whether the user pressed Ctrl+C at an empty prompt. The next line resets it. */
  wantsToLeave: boolean;
  /** Whether a turn failed or was stopped. */
  failed: boolean;
}

/** The conversation to continue, or the newest one. */
export type Resume = { readonly id: string } | "newest";

/** Returns the conversation to continue, or `undefined` for a new one. */
export async function findConversation(
  client: Pick<Client, "conversation" | "latestConversation">,
  resume: Resume | undefined,
): Promise<ConversationView | undefined> {
  if (resume === undefined) return undefined;
  return resume === "newest" ? client.latestConversation() : client.conversation(resume.id);
}

/**
 * Creates the state of a chat before its first message.
 *
 * @param options.yes whether to allow each call that needs approval without prompting
 */
export function createSession(
  options: Pick<ChatSession, "client" | "terminal" | "style" | "model" | "conversation"> & {
    readonly yes: boolean;
  },
): ChatSession {
  const { yes, ...given } = options;
  return {
    ...given,
    mode: yes ? "allow" : given.terminal.interactive ? "ask" : "refuse",
    leave: new AbortController(),
    running: undefined,
    wantsToLeave: false,
    failed: false,
  };
}

/** Prints a line that is not part of the answer. */
export function printLine({ terminal }: Pick<ChatSession, "terminal">, text: string): void {
  terminal.write(notice(text));
}

export function printFailure(session: ChatSession, error: unknown): void {
  session.failed = true;
  printLine(session, session.style.red(printable(errorMessage(error))));
}
