import type { AppState } from "../state/app-state.ts";
import { groupsOn } from "../state/switches.ts";

/**
 * Returns the tool groups and instructions of the next turn. An agent with groups of its own is not
 * offered the groups of the chat.
 */
export function turnOptions({ catalog, chat, preferences }: AppState) {
  const instructions = preferences.value().instructions.trim();
  const hasOwnGroups = catalog.agent()?.groups !== undefined;
  return {
    groups: hasOwnGroups ? [] : groupsOn(catalog.groups.value(), chat.switches()),
    ...(instructions !== "" && { instructions }),
  };
}
