import { neutralise } from "@capstan/core/host";
import { fileLinkUrl } from "../http/files/file-links.ts";

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
  return `[${text}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

/** A line of `answerLinks` with a link to a stored file, and the line breaks before it. */
const storedLink = new RegExp(
  String.raw`(?:^|\r?\n(?:\r?\n)?)\[(?:\\.|[^\\[\]\r\n])*\]\(${fileLinkUrl}\)[^\S\n]*(?=\n|$)`,
  "g",
);

/**
 * Removes the links to stored files from an answer that a client returns as history. A link opens its
 * file for everyone who has it, so the model must not get it, and the stored answer has no links.
 */
export function withoutAnswerLinks(text: string): string {
  return text.replaceAll(storedLink, "");
}
