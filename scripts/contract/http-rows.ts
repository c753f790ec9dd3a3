import type { ContractPage, TestFile } from "./contract-rows.ts";

/** Tests in these files send requests to a server, or start one. */
const sendsRequests = /\b(?:createTestApp|startPluginTurn|startServer)\(/;

/**
 * Checks that each row of a contract page has a test through HTTP, or is listed with a reason in the
 * page's section "Rows without a test through HTTP": `- plugins-11: the reason`.
 *
 * @returns a sentence for each problem, with its place in front; empty if there are no problems
 */
export function httpProblems(
  { page, text }: ContractPage,
  tests: readonly TestFile[],
): readonly string[] {
  const covered = new Set(
    tests
      .filter((test) => isThroughHttp(test))
      .flatMap((test) => [...test.text.matchAll(/^\s*\/\/ Contract: (.+)$/gm)])
      .flatMap(([, ids = ""]) => ids.split(/,\s*/)),
  );
  const lines = text.split("\n");
  const excepted = new Map<string, number>();
  const rows = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const row = /^\| ([a-z]+-\d+) \|/.exec(line)?.[1];
    if (row !== undefined) rows.set(row, index + 1);
    const exception = /^- ([a-z]+-\d+): \S/.exec(line)?.[1];
    if (exception !== undefined) excepted.set(exception, index + 1);
  }
  const problems: string[] = [];
  for (const [id, line] of rows)
    if (!covered.has(id) && !excepted.has(id))
      problems.push(
        `${page}:${line}: no test through HTTP covers ${id}; declare it in a test of packages/server that sends requests, or list it with a reason in "Rows without a test through HTTP"`,
      );
  for (const [id, line] of excepted)
    if (!rows.has(id)) problems.push(`${page}:${line}: there is no row ${id}; remove it`);
    else if (covered.has(id))
      problems.push(`${page}:${line}: ${id} has a test through HTTP; remove it from this list`);
  return problems;
}

function isThroughHttp({ file, text }: TestFile): boolean {
  return (
    file.startsWith("test/") || (file.startsWith("packages/server/") && sendsRequests.test(text))
  );
}
