/**
 * Paths that the prose check leaves out until their text has been rewritten. Remove a path when its
 * files have no problem any more: `node scripts/check-prose.ts PATH` lists them. Never add one.
 */
export const pending: readonly string[] = [
  "packages/core/README.md",
  "packages/core/src/arguments",
  "packages/core/src/base",
  "packages/core/src/json",
  "packages/core/src/model",
  "packages/core/src/policy",
  "packages/core/src/testing",
  "packages/core/src/text",
  "packages/core/src/tool",
  "packages/core/src/variables",
  "packages/core/test",
];
