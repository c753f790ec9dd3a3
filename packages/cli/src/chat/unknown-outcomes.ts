import type { RunView } from "@capstan/contract";
import { answerOutcomes } from "./answer-outcome.ts";
import { ApiError, type Client } from "@capstan/client";
import { printableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { notice, type Terminal } from "../terminal/terminal.ts";

/**
 * Asks about each call, of whichever conversation, of which nobody knows whether it happened; the
 * oldest run first. Where no person is there to be asked, each is said.
 */
export async function answerOpenOutcomes(options: {
  readonly client: Pick<Client, "url" | "calls" | "answerOutcome" | "runsOfUnknownOutcome">;
  readonly terminal: Terminal;
  readonly style: Style;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { client, terminal, style, signal } = options;
  const runs = await client.runsOfUnknownOutcome(signal);
  if (runs.length === 0) terminal.write(notice("Of every call it is known what became of it."));
  const mode = terminal.interactive ? "ask" : "refuse";
  for (const run of runs.toReversed()) {
    if (signal.aborted) return;
    terminal.write(notice(style.bold(headingOf(run))));
    try {
      if ((await answerOutcomes({ ...options, run: run.id, mode })) === "left") return;
    } catch (thrown) {
      // A run that the server cannot read must not hide the others.
      if (!(thrown instanceof ApiError) || thrown.status < 500) throw thrown;
      const text = `Its calls cannot be read: ${printableLine(thrown.message)}`;
      terminal.write(notice(style.red(text)));
    }
  }
}

function headingOf({ id, created_at: at, conversation }: RunView): string {
  const where = conversation === null ? "" : `, in ${conversation}`;
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC, run ${id}${where}`;
}
