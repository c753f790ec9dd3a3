import { liveTexts } from "./catalogue/live-texts.ts";
import { rules } from "./en/rules.ts";

/** Texts of the user's rules. */
export const rulesTexts = liveTexts("rules", rules);
