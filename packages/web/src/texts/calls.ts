import { liveTexts } from "./catalogue/live-texts.ts";
import { calls } from "./en/calls.ts";

/** Texts of the rows and details of tool calls. */
export const callsTexts = liveTexts("calls", calls);
