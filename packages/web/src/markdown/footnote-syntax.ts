import type { MarkedExtension, Tokens } from "marked";
import { escapeHtml } from "./escape-html.ts";

/** Labels of up to 40 characters. The bound keeps the time linear. */
const reference = /^\[\^([^\]\s^]{1,40})\](?!:)/;
const definition = /^ {0,3}\[\^([^\]\s^]{1,40})\]:[ \t]*([^\n]*)(?:\n|$)/;

interface FootnoteToken extends Tokens.Generic {
  readonly label: string;
}

/**
 * Reads footnotes: `[^1]` in a text, and `[^1]: The note.` as a line of its own. Both show the label
 * as a superscript. There are no links, because ids in answers could clash with those of the page.
 */
export function footnoteSyntax(): MarkedExtension {
  return {
    extensions: [
      {
        name: "footnote",
        level: "block",
        start: startOfDefinition,
        tokenizer(source) {
          const found = definition.exec(source);
          if (found === null) return undefined;
          const [raw, label = "", text = ""] = found;
          return { type: "footnote", raw, label, tokens: this.lexer.inlineTokens(text, []) };
        },
        renderer(token) {
          const { label, tokens = [] } = token as FootnoteToken;
          return `<p>${mark(label)} ${this.parser.parseInline(tokens)}</p>\n`;
        },
      },
      {
        name: "footnoteReference",
        level: "inline",
        start: (source) => {
          const at = source.indexOf("[^");
          return at === -1 ? undefined : at;
        },
        tokenizer(source) {
          const found = reference.exec(source);
          return found === null
            ? undefined
            : { type: "footnoteReference", raw: found[0], label: found[1] };
        },
        renderer: (token) => mark((token as FootnoteToken).label),
      },
    ],
  };
}

const mark = (label: string) => `<sup>${escapeHtml(label)}</sup>`;

/** Finds a line of the first paragraph that begins with a definition. */
function startOfDefinition(source: string): number | undefined {
  const end = source.indexOf("\n\n");
  const at = (end === -1 ? source : source.slice(0, end)).search(/\n {0,3}\[\^/);
  return at === -1 ? undefined : at + 1;
}
