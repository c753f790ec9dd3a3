import { liveTexts } from "./catalogue/live-texts.ts";
import { shortcuts } from "./en/shortcuts.ts";

/** Texts of the list of keyboard shortcuts. */
export const shortcutTexts = liveTexts("shortcuts", shortcuts);
