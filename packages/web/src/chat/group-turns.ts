import type { RunView } from "@capstan/contract";

/** A user message and its runs: the first run and its retries. */
export interface Turn<Run> {
  readonly id: string;
  readonly text: string;
  readonly runs: readonly Run[];
}

/**
 * Groups the runs of a conversation, oldest first, into turns. A run that retries another one has
 * no new message: its input is empty, or it has the same input and the same previous run.
 */
export function groupTurns<Run extends { readonly view: RunView }>(
  runs: readonly Run[],
): Turn<Run>[] {
  const turns: { id: string; text: string; runs: Run[] }[] = [];
  for (const run of runs) {
    const turn = turns.at(-1);
    const before = turn?.runs.at(-1);
    const text = inputText(run.view.input);
    if (
      turn !== undefined &&
      before !== undefined &&
      isRetry(run.view, before.view, text, turn.text)
    ) {
      turn.runs.push(run);
    } else {
      turns.push({ id: run.view.id, text, runs: [run] });
    }
  }
  return turns;
}

function isRetry(run: RunView, before: RunView, text: string, said: string): boolean {
  if (text === "") return true;
  return text === said && run.previous === before.previous && run.previous !== before.id;
}

/** Returns the user's text in a run's input, which is text or messages of the Responses API. */
export function inputText(input: readonly unknown[]): string {
  return input
    .map(itemText)
    .filter((text) => text !== "")
    .join("\n\n");
}

function itemText(item: unknown): string {
  if (typeof item === "string") return item;
  if (typeof item !== "object" || item === null) return "";
  const { role, content, text } = item as { role?: unknown; content?: unknown; text?: unknown };
  if (typeof text === "string") return text;
  if (role !== undefined && role !== "user") return "";
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(itemText).filter(Boolean).join("\n") : "";
}
