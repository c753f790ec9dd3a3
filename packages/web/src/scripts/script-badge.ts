import type { ScriptView } from "@capstan/contract";

/** How a file stands, in one or two words, and how it is coloured. */
export interface ScriptBadge {
  readonly label: string;
  readonly tone: "good" | "some" | "bad" | "quiet";
}

/** What matters most of a file: that it is broken, that it waits for a person, or that all is well. */
export function scriptBadge({
  status,
  approval,
  editable,
}: Pick<ScriptView, "status" | "approval" | "editable">): ScriptBadge {
  switch (status) {
    case "broken":
      return { label: "broken", tone: "bad" };
    case "stale":
      return { label: "broken, last good version used", tone: "bad" };
    case "unapproved":
      return { label: "not loaded", tone: "some" };
    case "live":
      if (approval === "current") return { label: "approved", tone: "good" };
      return approval === "outdated"
        ? { label: "changed since approved", tone: "some" }
        : { label: editable ? "asks every time" : "live", tone: "quiet" };
  }
}

/** When a tool's calls ask, in words. */
export const executionLabels: { readonly [execution: string]: string } = {
  auto: "runs at once",
  "ask-once": "asks once for the same arguments",
  "ask-always": "asks each time",
  deny: "never runs",
  depends: "may ask",
};
