import { liveTexts } from "./catalogue/live-texts.ts";
import { conversations } from "./en/conversations.ts";

/** Texts of the list of conversations. */
export const conversationsTexts = liveTexts("conversations", conversations);
