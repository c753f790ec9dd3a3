import { liveTexts } from "./catalogue/live-texts.ts";
import { scripts } from "./en/scripts.ts";

/** Texts of the scripts page: files of tools, the editor, approvals and trial calls. */
export const scriptsTexts = liveTexts("scripts", scripts);
