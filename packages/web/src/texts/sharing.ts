import { liveTexts } from "./catalogue/live-texts.ts";
import { sharing } from "./en/sharing.ts";

/** Texts of links to chats, and of the page that a link opens. */
export const sharingTexts = liveTexts("sharing", sharing);
