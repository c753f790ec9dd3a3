import { CommandFailure, type OptionValues, textOption } from "../../arguments/command.ts";
import type { Resume } from "../../chat/chat-session.ts";
import { commandTexts } from "../../texts/commands.ts";

/** Returns the conversation of the flags `--continue` and `--conversation`. @throws CommandFailure if both are given */
export function readResume(values: OptionValues): Resume | undefined {
  const id = textOption(values, "conversation");
  const isNewest = values["continue"] === true;
  if (isNewest && id !== undefined)
    throw new CommandFailure(commandTexts.connection.twoConversations, 2);
  if (isNewest) return "newest";
  return id === undefined ? undefined : { id };
}
