import { liveTexts } from "./catalogue/live-texts.ts";
import { shell } from "./en/shell.ts";

/** Texts of the frame of the page and of its common components. */
export const shellTexts = liveTexts("shell", shell);
