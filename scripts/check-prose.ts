// node scripts/check-prose.ts [PATH…]: a step of scripts/check.ts. Finds sentences in documents,
// comments, messages and commit subjects that break the rules in scripts/prose/rules.ts. Given paths
// are checked even if they are pending.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./command.ts";
import { pending } from "./prose/pending.ts";
import { readDocument } from "./prose/read-document.ts";
import { readSource } from "./prose/read-source.ts";
import { proseProblems, subjectProblem } from "./prose/rules.ts";

const wanted = process.argv.slice(2);
const exclude = ["**/node_modules/**", "**/dist/**"];
const folders = "{packages,scripts,bench,test,examples}";
const files = globSync([`${folders}/**/*.{ts,tsx,md}`, "docs/**/*.md", "*.md"], {
  cwd: root,
  exclude,
}).toSorted();
const isBelow = (file: string) => (path: string) => file === path || file.startsWith(`${path}/`);
const chosen =
  wanted.length > 0
    ? files.filter((file) => wanted.some(isBelow(file)))
    : files.filter(
        (file) => !pending.some(isBelow(file)) && !file.startsWith("scripts/prose/rules"),
      );

const allowedFile = "scripts/prose/allowed.txt";
const allowed = readFileSync(join(root, allowedFile), "utf8")
  .split("\n")
  .flatMap((line, index) => {
    const [, path = "", words = ""] = /^([^#:]+): (.+)$/.exec(line) ?? [];
    return path === "" ? [] : [{ path, words, line: index + 1, isUsed: false }];
  });

const lines: string[] = [];
for (const file of chosen) {
  const text = readFileSync(join(root, file), "utf8");
  const passages = file.endsWith(".md") ? readDocument(text, file) : readSource(text, file);
  for (const passage of passages)
    for (const { words, sentence, advice } of proseProblems(passage)) {
      const entry = allowed.find(
        ({ path, words: some }) => path === file && sentence.includes(some),
      );
      if (entry === undefined)
        lines.push(`${file}:${passage.line}: "${words.trim()}" in "${sentence}": ${advice}`);
      else entry.isUsed = true;
    }
}
if (wanted.length === 0) {
  for (const { line, isUsed } of allowed)
    if (!isUsed) lines.push(`${allowedFile}:${line}: matches no sentence any more; remove it`);
  for (const path of pending)
    if (!files.some((file) => isBelow(file)(path)))
      lines.push(`scripts/prose/pending.ts: there is no ${path} any more; remove it`);
  for (const subject of branchSubjects()) {
    const problem = subjectProblem(subject);
    if (problem !== undefined) lines.push(`the commit "${subject}" ${problem}`);
  }
}
for (const line of lines) console.log(line);
process.exitCode = lines.length === 0 ? 0 : 1;

/**
 * The subjects of the commits that `main` does not have; on `main`, the subject of the newest
 * commit. Outside a clone the list is empty.
 */
function branchSubjects(): readonly string[] {
  const log = (...range: readonly string[]): readonly string[] =>
    execFileSync("git", ["log", "--no-merges", "--format=%s", ...range], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    })
      .split("\n")
      .filter((line) => line !== "");
  for (const range of [["main..HEAD"], ["origin/main..HEAD"], ["-1"]])
    try {
      const subjects = log(...range);
      if (subjects.length > 0) return subjects;
    } catch {
      // The branch or the repository does not exist.
    }
  return [];
}
