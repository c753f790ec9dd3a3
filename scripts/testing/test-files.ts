import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../command.ts";
import { longTests } from "./long-tests.ts";

/**
 * - `quick`: what `npm test` runs
 * - `unit`: the unit tests in `quick`
 * - `long`: the files of `long-tests.ts`
 * - `all`: `quick` and `long`
 * - `properties`: the unit tests that use fast-check
 */
export const testSets = ["quick", "unit", "long", "all", "properties"] as const;
export type TestSet = (typeof testSets)[number];

/** Paths from the repository's root, in order. */
export interface TestFiles {
  readonly unit: readonly string[];
  /** Each needs a process of its own. */
  readonly integration: readonly string[];
}

/** Returns the test files of a set. */
export function testFiles(set: TestSet): TestFiles {
  const unit = find("{packages/*/{src,test},scripts,bench}/**/*.test.ts");
  if (set === "properties") return { unit: unit.filter(hasProperties), integration: [] };
  const integration = find("{test/**/*.test.ts,packages/*/test/**/*.browser.ts}");
  if (set === "all") return { unit, integration };
  const long = longFiles();
  const isInSet = (file: string) => long.has(file) === (set === "long");
  return {
    unit: unit.filter(isInSet),
    integration: set === "unit" ? [] : integration.filter(isInSet),
  };
}

/** Returns the files of `long-tests.ts`. A list that names no file would silently test nothing. */
function longFiles(): ReadonlySet<string> {
  return new Set(
    longTests.flatMap(({ files }) => {
      const found = find(files);
      if (found.length === 0)
        throw new Error(`scripts/testing/long-tests.ts: no file matches ${files}.`);
      return found;
    }),
  );
}

function hasProperties(file: string): boolean {
  return readFileSync(join(root, file), "utf8").includes('from "fast-check"');
}

function find(pattern: string): readonly string[] {
  return globSync(pattern, {
    cwd: root,
    exclude: ["**/node_modules/**", "**/dist/**"],
  }).toSorted();
}
