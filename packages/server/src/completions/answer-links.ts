import { neutralise } from "@capstan/core/host";
import { fileLinkUrl } from "../http/files/file-links.ts";

/** The title of the links, by which an answer that a client returns is recognised. */
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
 * A line of `answerLinks`, and the line breaks before it. A link to a stored file is recognised
 * without its title, too.
 */
const link = new RegExp(
  String.raw`(?:^|\r?\n(?:\r?\n)?)\[(?:\\.|[^\\[\]\r\n])*\]\((?:${fileLinkUrl}(?: "${title}")?|https?://[^\s()]+ "${title}")\)[^\S\n]*(?=\n|$)`,
  "g",
);

/**
 * Removes the links to a tool's files from an answer that a client returns as history, because the
 * stored answer has no links. A link to a stored file opens it for everyone who has it, so the model
 * must not get it.
 */
export function withoutAnswerLinks(text: string): string {
  return text.replaceAll(link, "");
}
