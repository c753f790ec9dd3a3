import { refused, type KernelError } from "../kernel/kernel-error.ts";

/** One edit of a diff. */
export type BlockEdit =
  | {
      readonly do: "search";
      readonly id: string;
      readonly search: string;
      readonly replace: string;
    }
  | { readonly do: "delete"; readonly id: string }
  | {
      readonly do: "replace" | "before" | "after" | "prepend" | "append";
      readonly id: string;
      readonly markdown: string;
    };

const header = /^@@(?<id>\d{14}-[a-z0-9]{7})@@(?<rest>.*)$/;
const commands = ["delete", "replace", "before", "after", "prepend", "append"] as const;
const form =
  "Write `@@id@@`, then blocks of `<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE`; or `@@id@@ REPLACE`, BEFORE, AFTER, PREPEND or APPEND with the Markdown in the lines below; or `@@id@@ DELETE`.";

/**
 * Parses a diff of blocks. The text of a command ends at the next header, so it may contain the
 * markers of SEARCH blocks; `\@@` begins a line of text with `@@`.
 *
 * @throws KernelError `invalid_diff`
 */
export function parseDiff(diff: string): readonly BlockEdit[] {
  const lines = diff.replaceAll("\r\n", "\n").split("\n");
  const edits: BlockEdit[] = [];
  const starts = lines.flatMap((line, at) => (header.test(line) ? [at] : []));
  const [first = lines.length] = starts;
  const before = lines.slice(0, first).findIndex((line) => line.trim() !== "");
  if (before >= 0)
    throw invalid(before, `"${lines[before]?.slice(0, 80)}" is before the first header.`);
  for (const [index, start] of starts.entries()) {
    const body = lines.slice(start + 1, starts[index + 1] ?? lines.length);
    edits.push(...parsePart(lines[start] ?? "", body, start));
  }
  if (edits.length === 0) throw invalid(0, "The diff has no edits.");
  return edits;
}

function parsePart(head: string, body: readonly string[], start: number): readonly BlockEdit[] {
  const { id = "", rest: after = "" } = header.exec(head)?.groups ?? {};
  const rest = after.trim();
  // A word in lower case or in brackets is the type that getBlockContent shows.
  const command = commands.find((one) => one.toUpperCase() === rest);
  if (command === undefined) {
    if (/^[A-Z]+$/.test(rest)) throw invalid(start, `"${rest}" is not a command.`);
    return parseBlocks(id, body, start + 1);
  }
  const markdown = trimLines(body.map((line) => line.replace(/^\\@@/, "@@"))).join("\n");
  if (command === "delete") {
    if (markdown !== "") throw invalid(start, "DELETE takes no text.");
    return [{ do: "delete", id }];
  }
  if (markdown.trim() === "")
    throw invalid(start, `${rest} needs Markdown in the lines below. DELETE removes a block.`);
  return [{ do: command, id, markdown }];
}

function parseBlocks(id: string, body: readonly string[], from: number): readonly BlockEdit[] {
  const edits: BlockEdit[] = [];
  let at = 0;
  while (at < body.length) {
    const line = body[at] ?? "";
    if (line.trim() === "") {
      at++;
      continue;
    }
    if (!/^<{7} ?SEARCH\s*$/.test(line))
      throw invalid(from + at, `"${line.slice(0, 80)}" is outside of a SEARCH block.`);
    const end = body.findIndex((one, index) => index > at && /^>{7} ?REPLACE\s*$/.test(one));
    if (end < 0) throw invalid(from + at, "The SEARCH block has no >>>>>>> REPLACE.");
    const inner = body.slice(at + 1, end);
    const middles = inner.flatMap((one, index) => (/^={7}\s*$/.test(one) ? [index] : []));
    const [middle, ...others] = middles;
    if (middle === undefined) throw invalid(from + at, "The SEARCH block has no ======= line.");
    if (others.length > 0 || inner.some((one) => /^<{7} ?SEARCH\s*$/.test(one)))
      throw invalid(
        from + at,
        "The SEARCH block has a second marker in its text. Use `@@id@@ REPLACE` with the whole text of the block, which may contain such lines.",
      );
    const unescape = (part: readonly string[]) =>
      part.map((one) => one.replace(/^\\@@/, "@@")).join("\n");
    const search = unescape(inner.slice(0, middle));
    if (search.trim() === "")
      throw invalid(
        from + at,
        "SEARCH is empty. `@@id@@ REPLACE` replaces a whole block, and `@@id@@ AFTER` adds one.",
      );
    edits.push({ do: "search", id, search, replace: unescape(inner.slice(middle + 1)) });
    at = end + 1;
  }
  if (edits.length === 0)
    throw invalid(from - 1, `The header of ${id} is not followed by an edit.`);
  return edits;
}

/** Returns the lines without empty ones at the beginning and the end. */
function trimLines(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line.trim() !== "");
  const end = lines.findLastIndex((line) => line.trim() !== "");
  return start < 0 ? [] : lines.slice(start, end + 1);
}

function invalid(line: number, problem: string): KernelError {
  return refused("invalid_diff", `Line ${line + 1} of the diff: ${problem} ${form}`);
}
