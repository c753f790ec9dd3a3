import { liveTexts } from "./catalogue/live-texts.ts";
import { connections } from "./en/connections.ts";

/** Texts of the panel of connections. */
export const connectionsTexts = liveTexts("connections", connections);
