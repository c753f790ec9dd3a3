import { liveTexts } from "./catalogue/live-texts.ts";
import { inbox } from "./en/inbox.ts";

/** Texts of the panel with pending requests, and of notifications. */
export const inboxTexts = liveTexts("inbox", inbox);
