import { liveTexts } from "./catalogue/live-texts.ts";
import { chat } from "./en/chat.ts";

/** Texts of the conversation: its turns, failures, and the field for the next message. */
export const chatTexts = liveTexts("chat", chat);
