import type { PolicyRule } from "@capstan/core";

/**
 * `GET /v1/overrides`: a user's own rule. It can be stricter than the administrator's rules, never
 * looser.
 */
export interface OverrideView extends PolicyRule {
  readonly object: "override";
  readonly id: string;
  /** The calls to which it applies, for example `files.ViewFile where path matches secrets/**`. */
  readonly title: string;
  /** `none` if an administrator's rule overrides it completely, or its tool no longer exists. */
  readonly effect: "full" | "partial" | "none";
  /** One sentence for each part without effect, with the rule that overrides it. */
  readonly notes: readonly string[];
  /** Its stored row is corrupt: the rule denies all calls until a user removes it. */
  readonly corrupt?: true;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The response when a rule is deleted, or when its last field is removed. */
export interface OverrideDeleted {
  readonly id: string;
  readonly object: "override.deleted";
  readonly deleted: true;
}

/**
 * `PUT /v1/overrides`: changes the user's rule for a tool, a group or all tools, and for calls that
 * match `when`. Absent fields do not change; null removes a field.
 */
export type OverrideChange = Pick<PolicyRule, "tool" | "when"> & {
  readonly [Key in "execution" | "result" | "approvalMs" | "reason"]?: PolicyRule[Key] | null;
};
