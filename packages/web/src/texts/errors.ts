import { liveTexts } from "./catalogue/live-texts.ts";
import { errors } from "./en/errors.ts";

/** Texts for errors of the server, by code. */
export const errorsTexts = liveTexts("errors", errors);
