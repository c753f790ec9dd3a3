import { client } from "../api/client.ts";
import { inputFiles } from "../attachments/input-files.ts";
import type { AppState } from "../state/app-state.ts";
import type { LiveRun } from "../state/live-run.ts";
import { attempt } from "../state/toasts.ts";
import { chatTexts } from "../texts/chat.ts";
import { inputText, type Turn } from "./group-turns.ts";
import { turnOptions } from "./turn-options.ts";

/** Whether a message can be sent again: no run is in progress, and the server has its files. */
export function canRepeat({ chat }: AppState, turn: Turn<LiveRun>): boolean {
  const isBusy = chat.active() !== null || chat.sending() !== null;
  return !isBusy && turn.files.every(({ id }) => id !== null);
}

/** The text and the files of a message. */
type Message = Pick<Turn<LiveRun>, "text" | "files">;

/** Returns a whole message. The list of runs may contain only a part of it. */
export async function wholeMessage({
  runs: [first],
  text,
  files,
}: Turn<LiveRun>): Promise<Message> {
  if (first === undefined || !first.view.input_cut) return { text, files };
  const input = await client.runInput(first.view.id);
  return { text: inputText(input), files: inputFiles(input) };
}

/**
 * Sends a message again with the chosen model, as a new branch next to the old one.
 *
 * @param edited the changed text @default the text as it was
 * @returns whether the message was sent; if not, the page shows the reason
 */
export async function repeatMessage(
  app: AppState,
  turn: Turn<LiveRun>,
  edited?: string,
): Promise<boolean> {
  const { catalog, chat } = app;
  const first = turn.runs[0];
  if (first === undefined) return false;
  let sent = false;
  await attempt(chatTexts.notRepeated, async () => {
    const { text, files } = await wholeMessage(turn);
    sent = await chat.send({
      text: edited ?? text,
      files: files.flatMap(({ id, name, isImage }) => (id === null ? [] : [{ id, name, isImage }])),
      model: catalog.model()?.id ?? first.view.model,
      ...turnOptions(app),
      after: first.view.previous,
    });
  });
  return sent;
}
