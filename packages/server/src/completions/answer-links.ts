import { neutralise } from "@capstan/core/host";
import { fileLinkUrl } from "../http/files/file-links.ts";

/** The title of the links. It identifies them in an answer that a client returns. */
const title = "file of a tool";

/** Returns links in Markdown, one on each line. A name cannot end its link's text. */
export function answerLinks(
  files: readonly { readonly name: string; readonly url: string }[],
): string {
  return files.map(markdownLink).join("\n");
}

function markdownLink({ name, url }: { readonly name: string; readonly url: string }): string {
  const text = neutralise(name)
    .replaceAll(/[\r\n]+/g, " ")
    .replaceAll(/[\\[\]`<>*_]/g, String.raw`\$&`);
  return `[${text}](${url.replaceAll("(", "%28").replaceAll(")", "%29")} "${title}")`;
}

/**
 * A line of `answerLinks`. A link to a stored file is recognised without its title, too.
 */
const link = new RegExp(
  String.raw`^\[(?:\\.|[^\\[\]\r])*\]\((?:${fileLinkUrl}(?: "${title}")?|https?://[^\s()]+ "${title}")\)\s*$`,
);

/**
 * Each line that matches `link` contains one of these texts. Lines of more than `longestLine`
 * characters are not compared.
 */
const marks = ["/download?token=", ` "${title}")`];
const longestLine = 4_096;

/**
 * Removes the links to a tool's files, and the line breaks before them, from an answer that a
 * client returns as history. The stored answer has no links. A link opens its file for everyone who
 * has the link, so the model must not get it. Takes linear time.
 */
export function withoutAnswerLinks(text: string): string {
  let kept = "";
  let from = 0;
  for (const { start, end } of markedLines(text)) {
    if (end - start > longestLine || !link.test(text.slice(start, end))) continue;
    const before = text.slice(Math.max(from, start - 4), start);
    const breaks = /(?:\r?\n){1,2}$/.exec(before)?.[0] ?? "";
    kept += text.slice(from, start - breaks.length);
    from = end;
  }
  return kept + text.slice(from);
}

/** Yields the lines that contain one of the marks. */
function* markedLines(
  text: string,
): Generator<{ readonly start: number; readonly end: number }, void, undefined> {
  const found = marks.map((mark) => text.indexOf(mark));
  for (;;) {
    const at = Math.min(...found.filter((each) => each !== -1));
    if (at === Infinity) return;
    const start = text.lastIndexOf("\n", at) + 1;
    const next = text.indexOf("\n", at);
    const end = next === -1 ? text.length : next;
    yield { start, end };
    for (const [index, mark] of marks.entries()) {
      const known = found[index] ?? -1;
      if (known !== -1 && known < end) found[index] = text.indexOf(mark, end);
    }
  }
}
