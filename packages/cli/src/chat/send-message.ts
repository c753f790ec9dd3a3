import type { RunWithEvents } from "@capstan/contract";
import { type ChatSession, printFailure } from "./chat-session.ts";
import { runTurn } from "./run-turn.ts";

/** Sends what the person typed, and shows the turn until it ends. Failures are said, not thrown. */
export async function sendMessage(session: ChatSession, text: string): Promise<void> {
  const { client, model } = session;
  try {
    const id = (session.conversation ?? (await client.createConversation())).id;
    // The page may have switched groups since.
    const [groups, conversation] = await Promise.all([
      client.toolGroups(),
      client.conversation(id),
    ]);
    session.conversation = conversation;
    const { switches } = conversation;
    const on = groups.filter((group) => switches.groups[group.name] ?? group.default_enabled);
    const names = on.map((group) => group.name);
    const run = await client.startRun({ conversation: id, model, text, groups: names });
    await showTurn(session, run.id);
  } catch (error) {
    printFailure(session, error);
  }
}

/** Shows a run until it ends or the person leaves; what is known of it comes first. */
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
