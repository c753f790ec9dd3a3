import { liveTexts } from "./catalogue/live-texts.ts";
import { approvals } from "./en/approvals.ts";

/** Texts of the approval cards and of the saved approvals. */
export const approvalsTexts = liveTexts("approvals", approvals);
