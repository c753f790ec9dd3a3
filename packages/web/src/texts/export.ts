import { liveTexts } from "./catalogue/live-texts.ts";
import { exports } from "./en/exports.ts";

/** Texts of exported chats, and of the menu that exports them. */
export const exportTexts = liveTexts("exports", exports);
