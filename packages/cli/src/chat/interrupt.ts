import { type ChatSession, printLine, printFailure } from "./chat-session.ts";

/**
 * What Ctrl+C does: it stops an answer; a second one, or one at an empty prompt after another,
 * leaves.
 *
 * @returns what ends it
 */
export function handleInterrupts(session: ChatSession): () => void {
  const { client, terminal, style, leave } = session;
  return terminal.onInterrupt(() => {
    const { running } = session;
    if (running && !running.cancelled) {
      running.cancelled = true;
      printLine(session, style.yellow("\nStopping; Ctrl+C again leaves."));
      client.cancelRun(running.run).catch((error: unknown) => printFailure(session, error));
    } else if (running || !terminal.interactive || session.wantsToLeave) {
      leave.abort();
      running?.stop.abort();
      terminal.close();
    } else {
      session.wantsToLeave = true;
      printLine(session, style.dim("\nCtrl+C again leaves, and so does /quit."));
    }
  });
}
