import { liveTexts } from "./catalogue/live-texts.ts";
import { imports } from "./en/imports.ts";

/** Texts of the import of chats. */
export const importTexts = liveTexts("imports", imports);
