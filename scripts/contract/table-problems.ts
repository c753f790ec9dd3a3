/** Reads a linked file, given the link's target as written; undefined if there is no such file. */
export type ReadLinked = (link: string) => string | undefined;

/**
 * Finds problems in the tables of a page that links a test for each row. The last cell of each row
 * holds only links, and the text of a link is the full name of a test in the linked file.
 *
 * @returns a sentence for each problem, with its line number in front; empty if there are no
 * problems.
 * @example tableProblems("| a | b | seen by eye |", () => undefined) // ["1: …"]
 */
export function tableProblems(markdown: string, readLinked: ReadLinked): readonly string[] {
  const lines = markdown.split("\n");
  const problems: string[] = [];
  let rows = 0;
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("|")) continue;
    const isHeader = isDelimiter(lines[index + 1]);
    if (isHeader || isDelimiter(line)) {
      if (isHeader && lastCell(line) !== "Shown by")
        problems.push(`${index + 1}: the last column of a table is called "Shown by"`);
      continue;
    }
    rows++;
    problems.push(
      ...rowProblems(lastCell(line), readLinked).map((text) => `${index + 1}: ${text}`),
    );
  }
  return rows === 0 ? [...problems, "1: there is no table row"] : problems;
}

function rowProblems(cell: string, readLinked: ReadLinked): readonly string[] {
  const links = [...cell.matchAll(linkPattern)];
  if (links.length === 0) return ["the last cell links to no test"];
  const problems = links.flatMap(([, , text = "", to = ""]) => {
    const name = text.replaceAll("\\|", "|");
    const source = readLinked(to);
    if (source === undefined) return [`there is no file ${to}`];
    return testNames(source, to).has(name) ? [] : [`${to} has no test called "${name}"`];
  });
  const rest = cell.replaceAll(linkPattern, "").replaceAll("<br>", "").replaceAll(/[,\s]/g, "");
  return rest === "" ? problems : [...problems, `"${rest}" is not a link`];
}

/** [`text`](target), with as many backticks as the text needs. */
const linkPattern = /\[(`+) ?(.+?) ?\1\]\(([^)\s]+)\)/g;

function isDelimiter(line: string | undefined): boolean {
  return line !== undefined && /^\|[\s:|-]+\|\s*$/.test(line);
}

function lastCell(line: string): string {
  const cells = line
    .trimEnd()
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/);
  return cells.at(-1)?.trim() ?? "";
}

/**
 * Finds the literal names of `test("…")`, `it("…")`, `everyStore("…")` and `twoNodes("…")`;
 * names that are built at run time cannot be found by a text search. A file of type tests names
 * each in a comment.
 */
function testNames(source: string, path: string): ReadonlySet<string> {
  if (path.endsWith(".test-d.ts"))
    return new Set(Array.from(source.matchAll(/^\/\/ (.+)$/gm), ([, name = ""]) => name));
  const calls = source.matchAll(
    /(?<![.\w])(?:test|it|everyStore|twoNodes)\(\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/g,
  );
  return new Set(Array.from(calls, ([, literal = ""]) => unescaped(literal.slice(1, -1))));
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, "$1");
}
