/** What of a user's is kept. What is not set keeps everything. */
export interface RetentionRule {
  /** Days after which what nobody touched goes. */
  readonly days?: number;
  /** Megabytes (of 1,048,576 bytes) beyond which the oldest goes; never what was touched within a day. */
  readonly megabytes?: number;
}

/** What an installation keeps. Without any of it: everything. */
export interface Retention extends RetentionRule {
  /** A user's own, by the name of their key: in place of what is set for all. `{}` keeps everything. */
  readonly principals?: { readonly [name: string]: RetentionRule };
}

export const dayMs = 24 * 60 * 60 * 1_000;

export function ruleFor(retention: Retention, owner: string): RetentionRule {
  const { principals = {} } = retention;
  return Object.hasOwn(principals, owner) ? (principals[owner] ?? {}) : retention;
}

/** Whether any rule deletes data. */
export function hasRetentionRules({ principals = {}, ...all }: Retention): boolean {
  return [all, ...Object.values(principals)].some((rule) => Object.keys(rule).length > 0);
}

/** Whether a rule limits the size of a user's data, so that sizes must be read. */
export function limitsSize({ principals = {}, megabytes }: Retention): boolean {
  return [megabytes, ...Object.values(principals).map((rule) => rule.megabytes)].some(
    (bound) => bound !== undefined,
  );
}
