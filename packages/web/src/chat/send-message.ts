import type { AppState } from "../state/app-state.ts";
import { turnOptions } from "./turn-options.ts";

/**
 * Sends the user's text and the attached files, with the chosen model and the enabled groups.
 * Returns whether they were sent. If not, puts them back into the field.
 */
export async function sendMessage(
  app: AppState,
  text: string,
  /** Queued messages have no files, and return to the queue if they cannot be sent. */
  { isQueued = false } = {},
): Promise<boolean> {
  const { attachments, catalog, chat } = app;
  const model = catalog.model()?.id ?? catalog.info.value()?.model.id;
  const isEmpty = text.trim() === "" && (isQueued || attachments.list().length === 0);
  if (model === undefined || isEmpty) return false;
  if (!isQueued && !attachments.isReady()) return false;
  const taken = isQueued ? [] : attachments.take();
  const files = taken.flatMap(({ upload, name, isImage }) =>
    upload.status === "ready" ? [{ id: upload.fileId, name, isImage }] : [],
  );
  const went = await chat.send({ text, files, model, ...turnOptions(app) });
  if (!went && !isQueued) {
    attachments.restore(taken);
    if (app.draft() === "") app.setDraft(text);
  }
  return went;
}
