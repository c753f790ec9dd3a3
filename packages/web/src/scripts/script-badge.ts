import type { ScriptView } from "@capstan/contract";
import { scriptsTexts } from "../texts/scripts.ts";

/** The label of a file's state, and its colour. */
export interface ScriptBadge {
  readonly label: string;
  readonly tone: "good" | "some" | "bad" | "quiet";
}

/** Returns the badge of a file's most important state: broken, needs approval, or approved. */
export function scriptBadge({
  status,
  approval,
  editable,
}: Pick<ScriptView, "status" | "approval" | "editable">): ScriptBadge {
  switch (status) {
    case "broken":
      return { label: scriptsTexts.badge.broken, tone: "bad" };
    case "stale":
      return { label: scriptsTexts.badge.stale, tone: "bad" };
    case "unapproved":
      return { label: scriptsTexts.badge.notLoaded, tone: "some" };
    case "live":
      if (approval === "current") return { label: scriptsTexts.badge.approved, tone: "good" };
      return approval === "outdated"
        ? { label: scriptsTexts.badge.outdated, tone: "some" }
        : { label: editable ? scriptsTexts.badge.asks : scriptsTexts.badge.live, tone: "quiet" };
  }
}

/** Describes in words when the calls of a tool need approval. */
export const executionLabels: { readonly [execution: string]: string } = scriptsTexts.executions;
