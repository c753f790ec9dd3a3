import { liveTexts } from "./catalogue/live-texts.ts";
import { variables } from "./en/variables.ts";

/** Texts of the variables panel. */
export const variablesTexts = liveTexts("variables", variables);
