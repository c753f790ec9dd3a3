import type { Outline, OutlineComment, OutlineFunction } from "./outline.ts";

/** Comment-based help: `.SYNOPSIS`, `.DESCRIPTION`, `.PARAMETER x`, `.OUTPUTS`. */
export interface CommentHelp {
  readonly description: string;
  /** By name, in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly returns?: { readonly type: string; readonly note?: string };
}

const keyword = /^\s*\.([A-Za-z]+)[ \t]*(.*)$/;
const known = new Set(
  "synopsis description parameter example inputs outputs notes link component role functionality forwardhelptargetname forwardhelpcategory remotehelprunspace externalhelp".split(
    " ",
  ),
);

/** Returns undefined if a comment is not help. */
export function readHelp(comment: string): CommentHelp | undefined {
  const sections: { readonly name: string; readonly argument: string; readonly lines: string[] }[] =
    [];
  for (const line of inside(comment)) {
    const match = keyword.exec(line);
    const name = match?.[1]?.toLowerCase() ?? "";
    if (match !== null && known.has(name))
      sections.push({ name, argument: (match[2] ?? "").trim(), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  if (sections.length === 0) return undefined;
  const textOf = (name: string) => {
    const found = sections.find((section) => section.name === name);
    return found === undefined ? "" : unindented(found.lines);
  };
  const parameters = sections
    .filter(({ name }) => name === "parameter")
    .map(({ argument, lines }) => [argument.toLowerCase(), unindented(lines)] as const);
  const outputs = /^(\S+)\s*([^]*)$/.exec(textOf("outputs"));
  const note = outputs?.[2]?.trim() ?? "";
  return {
    description: [textOf("synopsis"), textOf("description")].filter(Boolean).join("\n\n"),
    parameters: new Map(parameters),
    ...(outputs !== null && {
      returns: { type: outputs[1] ?? "", ...(note !== "" && { note }) },
    }),
  };
}

/**
 * Returns the help of a function: at the beginning or the end of its body, or right before it, with
 * at most one empty line between.
 */
export function helpOfFunction(
  source: string,
  outline: Outline,
  one: OutlineFunction,
): CommentHelp | undefined {
  const blocks = commentBlocks(source, outline.comments);
  const within = blocks.filter(({ start, end }) => start > one.bodyStart && end <= one.bodyEnd);
  const isBlank = (from: number, to: number) => /^\s*$/.test(source.slice(from, to));
  const first = within.find(({ start }) => isBlank(one.bodyStart + 1, start));
  const last = within.findLast(({ end }) => isBlank(end, one.bodyEnd));
  const before = blocks.findLast(({ end }) => end <= one.start);
  const isNear =
    before !== undefined &&
    /^[^\S\n]*\n?[^\S\n]*\n?[^\S\n]*$/.test(source.slice(before.end, one.start));
  for (const block of [first, last, isNear ? before : undefined]) {
    const help = block === undefined ? undefined : readHelp(block.text);
    if (help !== undefined) return help;
  }
  return undefined;
}

/** Returns the help of the file: its first comment, unless that is the help of a function. */
export function helpOfFile(source: string, outline: Outline): CommentHelp | undefined {
  for (const { start, end, text } of commentBlocks(source, outline.comments)) {
    if (!/^(?:\s|#[^\n]*\n|<#[^]*?#>)*$/.test(source.slice(0, start).replace(/^\ufeff/, ""))) break;
    const next = outline.functions.find((one) => one.start >= end);
    const isOfFunction =
      next !== undefined && /^[^\S\n]*\n?[^\S\n]*\n?[^\S\n]*$/.test(source.slice(end, next.start));
    const help = isOfFunction ? undefined : readHelp(text);
    if (help !== undefined) return help;
  }
  return undefined;
}

/** Returns the comments; consecutive single-line comments are joined. */
function commentBlocks(
  source: string,
  comments: readonly OutlineComment[],
): readonly OutlineComment[] {
  const blocks: OutlineComment[] = [];
  for (const comment of comments) {
    const before = blocks.at(-1);
    const follows =
      before !== undefined &&
      before.text.startsWith("#") &&
      comment.text.startsWith("#") &&
      /^[^\S\n]*\n[^\S\n]*$/.test(source.slice(before.end, comment.start));
    if (!follows) blocks.push(comment);
    else
      blocks.splice(-1, 1, {
        ...comment,
        start: before.start,
        text: `${before.text}\n${comment.text}`,
      });
  }
  return blocks;
}

function inside(comment: string): readonly string[] {
  const text = comment.startsWith("<#")
    ? comment.replace(/^<#/, "").replace(/#>$/, "")
    : comment.replaceAll(/^[^\S\n]*#/gm, "");
  return text.split(/\r?\n/);
}

function unindented(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  return lines
    .map((line) => line.slice(indent).trimEnd())
    .join("\n")
    .trim();
}
