/** How long a user's data is kept. Fields that are not set have no limit. */
export interface RetentionRule {
  /** Data that was not changed for this many days is deleted. */
  readonly days?: number;
  /**
   * The oldest data beyond this many megabytes (of 1,048,576 bytes) is deleted, except data changed
   * within a day.
   */
  readonly megabytes?: number;
}

/** The retention rules of an installation. Without any, all data is kept. */
export interface Retention extends RetentionRule {
  /**
   * A user's own rule, by the name of their key; it replaces the general rule. `{}` keeps
   * everything.
   */
  readonly principals?: { readonly [name: string]: RetentionRule };
}

/** A day in ms. */
export const dayMs = 24 * 60 * 60 * 1_000;

/** Returns the rule of a user: their own, or the general one. */
export function ruleFor(retention: Retention, owner: string): RetentionRule {
  const { principals = {} } = retention;
  return Object.hasOwn(principals, owner) ? (principals[owner] ?? {}) : retention;
}

/** Returns whether any rule deletes data. */
export function hasRetentionRules({ principals = {}, ...all }: Retention): boolean {
  return [all, ...Object.values(principals)].some((rule) => Object.keys(rule).length > 0);
}

/** Returns whether a rule limits the size of a user's data, so that sizes must be read. */
export function limitsSize({ principals = {}, megabytes }: Retention): boolean {
  return [megabytes, ...Object.values(principals).map((rule) => rule.megabytes)].some(
    (bound) => bound !== undefined,
  );
}
