import type { AppState } from "../state/app-state.ts";
import { groupsOn } from "../state/switches.ts";

/**
 * Sends the user's text, with the chosen model and the enabled groups. Returns whether it was sent;
 * if not, the text is put back into the field.
 */
export async function sendMessage(app: AppState, text: string): Promise<boolean> {
  const { catalog, chat } = app;
  const model = catalog.model()?.id ?? catalog.info.value()?.model.id;
  if (model === undefined || text.trim() === "") return false;
  const groups = groupsOn(catalog.groups.value(), chat.switches());
  const went = await chat.send({ text, model, groups });
  if (!went && app.draft() === "") app.setDraft(text);
  return went;
}
