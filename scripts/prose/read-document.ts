import type { Passage } from "./passage.ts";

/** Reads the paragraphs, list items and table cells of a Markdown document, without fenced code. */
export function readDocument(text: string, file: string): readonly Passage[] {
  const found: Passage[] = [];
  let isFenced = false;
  let open: { line: number; lines: string[] } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const said = plain(open.lines.join(" "));
    if (/\p{L}/u.test(said)) found.push({ file, line: open.line, kind: "document", text: said });
    open = undefined;
  };
  for (const [index, content] of text.split("\n").entries()) {
    const line = index + 1;
    if (/^\s*(?:```|~~~)/.test(content)) isFenced = !isFenced;
    if (isFenced || /^\s*(?:```|~~~|$|<!--|#)/.test(content)) {
      close();
      continue;
    }
    if (content.trimStart().startsWith("|")) {
      close();
      for (const cell of content.split(/(?<!\\)\|/)) {
        open = { line, lines: [cell] };
        close();
      }
      continue;
    }
    if (/^\s*(?:[-*]|\d+\.)\s/.test(content)) close();
    open ??= { line, lines: [] };
    open.lines.push(content);
  }
  close();
  return found;
}

function plain(text: string): string {
  return text
    .replace(/`[^`]*`/g, "code")
    .replace(/<[^>]*>/g, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_]{1,2}(\S(?:.*?\S)?)[*_]{1,2}/g, "$1")
    .replace(/^\s*(?:[-*]|\d+\.)\s+/, "")
    .replace(/\s+/g, " ")
    .trim();
}
