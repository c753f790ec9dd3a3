import { refused } from "../kernel/kernel-error.ts";

/**
 * The maximum number of changed lines in a container. The time to compare them grows with its
 * square.
 */
const mostChanges = 1000;
/** The number of replaced lines to compare with each changed line. */
const mostCandidates = 20;

/** One line of a block's Markdown, with the attribute lists that the kernel puts next to it. */
interface AttributedLine {
  readonly text: string;
  /** The list after the marker of a list item: `* {: id="…"}text`. */
  readonly inline?: string | undefined;
  /** The lines after it, with the attributes of the blocks that end with this line. */
  readonly after: readonly string[];
  /** Whether the line is in a code block, whose text is never read as attributes. */
  readonly isCode: boolean;
}

const list = String.raw`\{: (?:[\w-]+="[^"]*"\s*)+\}`;
const listLine = new RegExp(String.raw`^[> \t]*${list}\s*$`);
const inlineList = new RegExp(
  String.raw`^(?<marker>[> ]*(?:[*+-]|\d+[.)]) +)(?<inline>${list})(?<rest>.*)$`,
);

/** Reads kramdown line by line. */
function readLines(kramdown: string): AttributedLine[] {
  const lines: { text: string; inline?: string; after: string[]; isCode: boolean }[] = [];
  let fence: string | undefined;
  for (const line of kramdown.replaceAll("\r\n", "\n").split("\n")) {
    if (fence === undefined && listLine.test(line)) {
      const last = lines.at(-1);
      if (last === undefined) lines.push({ text: "", after: [line], isCode: false });
      else last.after.push(line);
      continue;
    }
    const { marker, inline, rest } =
      fence === undefined ? (inlineList.exec(line)?.groups ?? {}) : {};
    const text = marker === undefined ? line : `${marker}${rest ?? ""}`;
    lines.push({
      text,
      after: [],
      isCode: fence !== undefined,
      ...(inline !== undefined && { inline }),
    });
    fence = fenceAfter(text, fence);
  }
  return lines;
}

/** Returns the open fence after a line, or `undefined` outside of code. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const found = /^[> ]*(?:(?:[*+-]|\d+[.)]) +)*(?<fence>`{3,}|~{3,}|\$\$)/.exec(line)?.groups?.[
    "fence"
  ];
  if (open === undefined) {
    // A formula in one line opens no fence.
    const isClosed = found === "$$" && line.trim().length > 4 && line.trimEnd().endsWith("$$");
    return isClosed ? undefined : found;
  }
  const closes =
    found?.startsWith(open) === true &&
    new RegExp(`^[> ]*[${open[0] === "$" ? "\\$" : open[0]}]+\\s*$`).test(line);
  return closes ? undefined : open;
}

/** Returns the Markdown of a block without attribute lists, for models. */
export function plainText(kramdown: string): string {
  return readLines(kramdown)
    .map(({ text }) => text)
    .join("\n")
    .trimEnd();
}

/** Returns whether a text of the model has an attribute list with an id outside of code. */
export function hasIds(markdown: string): boolean {
  return readLines(markdown).some(({ inline, after }) =>
    [inline ?? "", ...after].some((one) => one.includes("id=")),
  );
}

/**
 * Returns the kramdown of a leaf with a new text. Puts its attributes after the first block of the
 * text, which keeps the id.
 */
export function withLeafText(kramdown: string, text: string): string {
  const own = readLines(kramdown)
    .flatMap(({ after }) => after)
    .at(-1);
  if (own === undefined) return text;
  const lines = text.split("\n");
  const end = firstBlockEnd(lines);
  return [...lines.slice(0, end), own.trim(), ...lines.slice(end)].join("\n");
}

/** Returns the number of lines of the first block of a Markdown text. */
function firstBlockEnd(lines: readonly string[]): number {
  const [first = ""] = lines;
  if (/^#{1,6} /.test(first)) return 1;
  let fence = fenceAfter(first, undefined);
  for (let at = 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const wasCode = fence !== undefined;
    fence = fenceAfter(line, fence);
    if (wasCode && fence === undefined) return at + 1;
    if (wasCode) continue;
    if (line.trim() === "" || (/^(#{1,6} |`{3}|~{3}|>)/.test(line) && !first.startsWith(">")))
      return at;
  }
  return lines.length;
}

/**
 * Returns the kramdown of a container with a new text. Unchanged lines, and lines that are changed
 * in place, keep their attributes, so the blocks in the container keep their ids.
 */
export async function withContainerText(kramdown: string, text: string): Promise<string> {
  const { diffArrays } = await import("diff");
  const before = readLines(kramdown);
  const result: (AttributedLine & { isNew: boolean })[] = [];
  let at = 0;
  let removed: readonly AttributedLine[] = [];
  const drop = (lines: readonly AttributedLine[]) => {
    // The attributes of a paragraph are after its last line. If that line is removed, they move up.
    for (const line of lines) {
      const last = result.at(-1);
      if (last?.after.length === 0 && last.text.trim() !== "" && !last.isNew)
        result[result.length - 1] = { ...last, after: line.after };
    }
  };
  const changes = diffArrays(
    before.map((line) => line.text),
    text.split("\n"),
    { maxEditLength: mostChanges },
  );
  if (changes === undefined)
    throw refused(
      "too_many_changes",
      `The text of a list or quote changes more than ${mostChanges} lines. Make the change in several calls.`,
    );
  for (const { added, removed: isRemoved, value } of changes) {
    const old = before.slice(at, at + value.length);
    if (!added) at += value.length;
    if (isRemoved) removed = old;
    else if (added) {
      result.push(...replaceLines(removed, value));
      removed = [];
    } else {
      drop(removed);
      removed = [];
      result.push(...old.map((line) => ({ ...line, isNew: false })));
    }
  }
  drop(removed);
  return joinLines(moveToEnds(result));
}

/** Pairs changed lines with the lines that they replace. */
function replaceLines(old: readonly AttributedLine[], lines: readonly string[]) {
  const isSameCount = old.length === lines.length;
  let next = 0;
  return lines.map((text, at) => {
    const candidates = old.slice(next, next + mostCandidates);
    const found = isSameCount
      ? at - next
      : candidates.findIndex((one) => isSimilar(one.text, text));
    const line = candidates[found];
    if (line === undefined) return { text, after: [], isCode: false, isNew: true };
    next += found + 1;
    // The attributes of an item can only follow the marker of an item.
    const inline = /^[> ]*([*+-]|\d+[.)]) /.test(text) ? line.inline : undefined;
    return { ...line, text, inline, isNew: false };
  });
}

/** Returns whether at least half of the words are the same. */
function isSimilar(one: string, other: string): boolean {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const same = [...others].filter((word) => words.has(word)).length;
  return same > 0 && same * 2 >= Math.max(words.size, others.size);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** If a paragraph gets more lines, its attributes move after the new last line. */
function moveToEnds(lines: (AttributedLine & { isNew: boolean })[]): readonly AttributedLine[] {
  for (const [at, line] of lines.entries()) {
    const next = lines[at + 1];
    const continues = next?.isNew === true && isContinued(line.text, next.text);
    if (next === undefined || !continues || line.after.length === 0 || line.isCode) continue;
    lines[at] = { ...line, after: [] };
    lines[at + 1] = { ...next, after: line.after };
  }
  return lines;
}

/** Returns whether a line belongs to the paragraph of the line before it. */
function isContinued(before: string, line: string): boolean {
  const [quotes, quotesBefore] = [line, before].map(
    (one) => one.split(/[^> ]/, 1)[0]?.split(">").length,
  );
  const rest = line.replace(/^[> ]*/, "");
  return quotes === quotesBefore && rest !== "" && !/^([*+-] |\d+[.)] |#{1,6} |```|~~~)/.test(rest);
}

function joinLines(lines: readonly AttributedLine[]): string {
  return lines
    .flatMap(({ text, inline, after }) => {
      const own =
        inline === undefined
          ? text
          : text.replace(/^([> ]*(?:[*+-]|\d+[.)]) +)/, (marker) => `${marker}${inline}`);
      return [own, ...after];
    })
    .join("\n");
}

/** Returns the attributes that a user set on a block, from its kramdown. */
export function ownAttributes(kramdown: string, id: string): { readonly [name: string]: string } {
  const lists = readLines(kramdown).flatMap(({ inline, after }) => [inline ?? "", ...after]);
  const own = lists.find((one) => one.includes(`id="${id}"`)) ?? "";
  return Object.fromEntries(
    [...own.matchAll(/(?<name>[\w-]+)="(?<value>[^"]*)"/g)].flatMap(({ groups }) => {
      const { name = "", value = "" } = groups ?? {};
      return /^(custom-.+|bookmark|name|alias|memo)$/.test(name)
        ? [[name, value.replaceAll("&quot;", '"').replaceAll("&amp;", "&")] as const]
        : [];
    }),
  );
}
