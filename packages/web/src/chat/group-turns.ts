import type { RunView } from "@capstan/contract";
import { type InputFile, inputFiles } from "../attachments/input-files.ts";

/** A user message and its runs: the first run and its retries. */
export interface Turn<Run> {
  readonly id: string;
  readonly text: string;
  readonly files: readonly InputFile[];
  readonly runs: readonly Run[];
  /** The run only holds messages of both sides, which were added to the conversation. */
  readonly isAdded: boolean;
}

/**
 * Groups the runs of a branch, oldest first, into turns. A run without a new message retries the
 * run before it.
 */
export function groupTurns<Run extends { readonly view: RunView }>(
  runs: readonly Run[],
): Turn<Run>[] {
  const turns: (Turn<Run> & { readonly runs: Run[] })[] = [];
  for (const run of runs) {
    const turn = turns.at(-1);
    const isAdded = run.view.added === true;
    const text = inputText(run.view.input);
    const files = inputFiles(run.view.input);
    if (turn !== undefined && !isAdded && text === "" && files.length === 0) turn.runs.push(run);
    else turns.push({ id: run.view.id, text, files, runs: [run], isAdded });
  }
  return turns;
}

/** Returns the user's text in a run's input, which is text or messages of the Responses API. */
export function inputText(input: readonly unknown[]): string {
  return input
    .map(itemText)
    .filter((text) => text !== "")
    .join("\n\n");
}

/** A message of an input. */
export interface InputMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** Returns the messages of both sides in an input. Omits other items and empty texts. */
export function inputMessages(input: readonly unknown[]): readonly InputMessage[] {
  return input.flatMap((item): readonly InputMessage[] => {
    if (typeof item !== "object" || item === null) return [];
    const { role, content } = item as { role?: unknown; content?: unknown };
    if (role !== "user" && role !== "assistant") return [];
    const text = itemText({ content });
    return text === "" ? [] : [{ role, text }];
  });
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
