import type { FailedTest } from "./test-totals.ts";

/** The first line of the list. `.ci/run` finds the list by it. */
export const listTitle = "failed tests:";

/** The listed lines of each error. The output above has the whole error. */
const listedLines = 6;

/**
 * Returns the list of failed tests that ends a run: for each test its file, its name and the first
 * lines of its error. Returns an empty text if none failed.
 */
export function listFailures(failures: readonly FailedTest[]): string {
  if (failures.length === 0) return "";
  return [listTitle, ...failures.map(entry)].join("\n");
}

function entry({ file, line, name, error }: FailedTest): string {
  const place = line === undefined ? file : `${file}:${line}`;
  const lines = error.split("\n").filter((text) => text.trim() !== "");
  const listed = lines.slice(0, listedLines).map((text) => `    ${text}`);
  return [`  ✖ ${[place, name].filter(Boolean).join(" ")}`, ...listed].join("\n");
}
