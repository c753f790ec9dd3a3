export interface ContractPage {
  /** The path from the root. */
  readonly page: string;
  readonly text: string;
}

export interface TestFile {
  /** The path from the root. */
  readonly file: string;
  readonly text: string;
}

const rowId = /^\| ([a-z]+(?:-[a-z0-9]+)+) \|/;
const longestLine = 200;

/**
 * Compares contract tables with the tests that cover them. The first cell of each row is its id, and
 * a test declares the rows that it covers in a comment right above it.
 *
 * @returns a sentence for each problem, with its place in front; empty if there are no problems
 * @example
 * contractProblems(
 *   [{ page: "a.md", text: "| Id | What |\n|---|---|\n| a-1 | it adds |" }],
 *   [{ file: "a.test.ts", text: '// Contract: a-1\ntest("adds", () => {});' }],
 * ) // []
 */
export function contractProblems(
  pages: readonly ContractPage[],
  tests: readonly TestFile[],
): readonly string[] {
  const problems: string[] = [];
  const rows = new Map<string, string>();
  for (const { page, text } of pages)
    for (const [index, line] of text.split("\n").entries()) {
      const place = `${page}:${index + 1}`;
      if (line.length > longestLine)
        problems.push(`${place}: has ${line.length} characters; write at most ${longestLine}`);
      const isRow = line.startsWith("|") && !line.startsWith("|--") && !line.startsWith("| Id |");
      if (!isRow) continue;
      const id = rowId.exec(line)?.[1];
      if (id === undefined) problems.push(`${place}: the first cell must be an id such as loop-12`);
      else if (rows.has(id)) problems.push(`${place}: ${id} is also at ${rows.get(id)}`);
      else rows.set(id, place);
    }
  const covered = new Set<string>();
  for (const { file, text } of tests)
    for (const { ids, line, isAboveTest } of declarations(text)) {
      if (!isAboveTest && !file.endsWith(".test-d.ts"))
        problems.push(`${file}:${line}: no test follows this comment`);
      for (const id of ids)
        if (rows.has(id)) covered.add(id);
        else problems.push(`${file}:${line}: no contract table has a row ${id}`);
    }
  for (const [id, place] of rows)
    if (!covered.has(id))
      problems.push(
        `${place}: no test covers ${id}; write "// Contract: ${id}" above one that does`,
      );
  return problems;
}

interface Declaration {
  readonly ids: readonly string[];
  /** 1-based. */
  readonly line: number;
  readonly isAboveTest: boolean;
}

function declarations(text: string): readonly Declaration[] {
  const lines = text.split("\n");
  return lines.flatMap((content, index) => {
    const [, list] = /^\s*\/\/ Contract: (.+)$/.exec(content) ?? [];
    if (list === undefined) return [];
    const next = lines.slice(index + 1).find((line) => !/^\s*(?:\/\/|$)/.test(line)) ?? "";
    const isAboveTest = /^\s*(?:await )?(?:test|it|everyStore|twoNodes)\(/.test(next);
    return [{ ids: list.split(/,\s*/), line: index + 1, isAboveTest }];
  });
}
