import type { PolicyRule } from "@capstan/core";

/** `GET /v1/overrides`: a rule of the user's own. It may tighten the administrator's, never loosen it. */
export interface OverrideView extends PolicyRule {
  readonly object: "override";
  readonly id: string;
  /** Which calls it is about, in words: `files.ViewFile where path fits secrets/**`. */
  readonly title: string;
  /** `none` where an administrator's rule, or that there is no such tool any more, makes all of it void. */
  readonly effect: "full" | "partial" | "none";
  /** What of it has no effect, and whose rule counts; a sentence each. */
  readonly notes: readonly string[];
  /** Its stored row is damaged: it denies all calls until it is removed. */
  readonly damaged?: true;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What is left of a rule that was taken back, or that says nothing more. */
export interface OverrideDeleted {
  readonly id: string;
  readonly object: "override.deleted";
  readonly deleted: true;
}

/**
 * `PUT /v1/overrides`: changes what is said of a tool, a group or all, for calls with such
 * arguments. What is left out stays as it is; null takes it back.
 */
export type OverrideChange = Pick<PolicyRule, "tool" | "when"> & {
  readonly [Key in "execution" | "result" | "approvalMs" | "reason"]?: PolicyRule[Key] | null;
};
