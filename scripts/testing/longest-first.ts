/**
 * The integration files that take longest, the longest first. They start first: a long file that
 * starts last would run alone at the end.
 */
export const longestFirst: readonly string[] = [
  "test/large-runs.test.ts",
  "test/breaking/redis.test.ts",
  "test/accepted-configuration.test.ts",
  "test/breaking/postgres.test.ts",
  "test/guides.test.ts",
  "packages/web/test/page.browser.ts",
  "test/attack/attack.test.ts",
  "test/breaking/sqlite.test.ts",
  "test/restart.test.ts",
  "test/chat.test.ts",
  "test/nodes.test.ts",
  "test/attack/long-attacks.test.ts",
  "test/page/approvals.test.ts",
  "test/page/live.test.ts",
  "test/page/interruptions.test.ts",
  "test/clients/codex.test.ts",
  "test/page/outcomes.test.ts",
  "test/reviews.test.ts",
  "test/scripts.test.ts",
  "test/newcomer.test.ts",
];

/** Returns the files with the longest ones first, and the others in their order. */
export function startLongestFirst(files: readonly string[]): readonly string[] {
  const long = longestFirst.filter((file) => files.includes(file));
  return [...long, ...files.filter((file) => !long.includes(file))];
}
