import type { MessageFile } from "@capstan/client";
import type { RunWithEvents } from "@capstan/contract";
import { type ChatSession, printFailure, printLine } from "./chat-session.ts";
import { chatTexts } from "../texts/chat.ts";
import { runTurn } from "./run-turn.ts";
import { offeredGroups } from "./tools-command.ts";

const texts = chatTexts.session;

/**
 * Sends a message, and shows the turn until it ends. Errors are printed, not thrown.
 *
 * @returns the run's id, or `undefined` if none was started
 */
export async function sendMessage(
  session: ChatSession,
  text: string,
  files: readonly MessageFile[] = [],
): Promise<string | undefined> {
  const { client, model } = session;
  try {
    const id = (session.conversation ?? (await client.createConversation())).id;
    // The user may have switched groups on the page.
    const conversation = await client.conversation(id);
    session.conversation = conversation;
    const groups = await offeredGroups({ client, conversation });
    const names = groups.map(({ name }) => name);
    const run = await client.startRun({ conversation: id, model, text, files, groups: names });
    await showTurn(session, run.id);
    return run.id;
  } catch (error) {
    printFailure(session, error);
    return undefined;
  }
}

/** Shows a run until it ends or the user leaves, beginning with its events so far. */
export async function showTurn(
  session: ChatSession,
  run: string,
  known?: Pick<RunWithEvents, "events" | "last_seq">,
): Promise<void> {
  const stop = new AbortController();
  session.running = { run, stop, cancelled: false };
  try {
    const end = await runTurn({
      ...session,
      run,
      signal: stop.signal,
      ...(known && { past: known.events, after: known.last_seq }),
    });
    if (end === "left") session.leave.abort();
    if (end !== "completed") session.failed = true;
  } catch (error) {
    if (!session.leave.signal.aborted) printFailure(session, error);
  } finally {
    session.running = undefined;
  }
}

/**
 * Handles Ctrl+C: the first stops an answer; a second one, or two at an empty prompt, leave.
 *
 * @returns a function that removes the handler
 */
export function handleInterrupts(session: ChatSession): () => void {
  const { client, terminal, style, leave } = session;
  return terminal.onInterrupt(() => {
    const { running } = session;
    if (running && !running.cancelled) {
      running.cancelled = true;
      printLine(session, style.yellow(`\n${texts.stopping}`));
      client.cancelRun(running.run).catch((error: unknown) => printFailure(session, error));
    } else if (running || !terminal.interactive || session.wantsToLeave) {
      leave.abort();
      running?.stop.abort();
      terminal.close();
    } else {
      session.wantsToLeave = true;
      printLine(session, style.dim(`\n${texts.leaveHint}`));
    }
  });
}
