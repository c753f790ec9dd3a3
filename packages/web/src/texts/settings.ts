import { liveTexts } from "./catalogue/live-texts.ts";
import { settings } from "./en/settings.ts";

/** Texts of the settings, the tools panel, the model selection and the notices. */
export const settingsTexts = liveTexts("settings", settings);
