import { liveTexts } from "./catalogue/live-texts.ts";
import { time } from "./en/time.ts";

/** Durations and ages. */
export const timeTexts = liveTexts("time", time);
