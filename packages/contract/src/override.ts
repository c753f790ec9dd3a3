import type { PolicyRule } from "@capstan/core";

/** `GET /v1/overrides`: a rule of the user's own. It may tighten the administrator's, never loosen it. */
export interface OverrideView extends PolicyRule {
  readonly object: "override";
  readonly id: string;
  /** Which calls it is about, in words: `files.ViewFile where path fits secrets/**`. */
  readonly title: string;
  /** `none` if an administrator's rule overrides it completely, or its tool no longer exists. */
  readonly effect: "full" | "partial" | "none";
  /** One sentence for each part without effect, with the rule that overrides it. */
  readonly notes: readonly string[];
  /** Its stored row is damaged: it denies all calls until it is removed. */
  readonly damaged?: true;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The response to the deletion of a rule, also of a rule whose last field was removed. */
export interface OverrideDeleted {
  readonly id: string;
  readonly object: "override.deleted";
  readonly deleted: true;
}

/**
 * `PUT /v1/overrides`: changes the user's rule for a tool, a group or all, for calls with such
 * arguments. Absent fields stay as they are; null removes one.
 */
export type OverrideChange = Pick<PolicyRule, "tool" | "when"> & {
  readonly [Key in "execution" | "result" | "approvalMs" | "reason"]?: PolicyRule[Key] | null;
};
