import { client } from "../api/client.ts";
import type { AppState } from "../state/app-state.ts";
import type { LiveRun } from "../state/live-run.ts";
import { groupsOn } from "../state/switches.ts";
import { inputText, type Turn } from "./group-turns.ts";

/** Whether a message can be sent again: no run is in progress, and the server has its files. */
export function canRepeat({ chat }: AppState, turn: Turn<LiveRun>): boolean {
  const isBusy = chat.active() !== null || chat.sending() !== null;
  return !isBusy && turn.files.every(({ id }) => id !== null);
}

/** Returns the whole text of a message, of which the list of runs may have only the end. */
export async function wholeText({ runs: [first], text }: Turn<LiveRun>): Promise<string> {
  if (first === undefined || !first.view.input_cut) return text;
  return inputText(await client.runInput(first.view.id));
}

/**
 * Sends a message again with the chosen model, as a new branch next to the old one.
 *
 * @param edited the changed text @default the text as it was
 */
export async function repeatMessage(
  { catalog, chat }: AppState,
  turn: Turn<LiveRun>,
  edited?: string,
): Promise<boolean> {
  const first = turn.runs[0];
  if (first === undefined) return false;
  const files = turn.files.flatMap(({ id, name, isImage }) =>
    id === null ? [] : [{ id, name, isImage }],
  );
  return chat.send({
    text: edited ?? (await wholeText(turn)),
    files,
    model: catalog.model()?.id ?? first.view.model,
    groups: groupsOn(catalog.groups.value(), chat.switches()),
    after: first.view.previous,
  });
}
