import { Lexer, type Links, Marked, Parser, type Token } from "marked";
import { escapeHtml } from "./escape-html.ts";
import { footnoteSyntax } from "./footnote-syntax.ts";
import { formulaSyntax } from "./formula-syntax.ts";

const marked = new Marked(
  { gfm: true, renderer: { html: ({ text }) => plainTagsOnly(text) } },
  formulaSyntax(),
  footnoteSyntax(),
);

/** A text as HTML, one string per block. The HTML is not safe yet: see `safe-fragment.ts`. */
export interface MarkdownBlocks {
  readonly text: string;
  /** Blocks that no later text can change. */
  readonly settled: readonly string[];
  /** The number of characters in the settled blocks. */
  readonly settledLength: number;
  /** The last blocks, which are parsed again when text is added. */
  readonly tail: readonly string[];
  /** Link definitions of the settled part. */
  readonly links: Links;
}

export const noBlocks: MarkdownBlocks = {
  text: "",
  settled: [],
  settledLength: 0,
  tail: [],
  links: {},
};

/**
 * Parses a growing text in time proportional to the new text: all blocks except the last two are
 * settled and never parsed again. Two stay open because a list can continue after an empty line. A
 * text that does not continue `previous` is parsed from the start.
 */
export function extendBlocks(previous: MarkdownBlocks, source: string): MarkdownBlocks {
  const text = source.includes("\r") ? source.replaceAll(/\r\n?/g, "\n") : source;
  if (text === previous.text) return previous;
  const base = text.startsWith(previous.text) ? previous : noBlocks;

  const lexer = new Lexer(marked.defaults);
  Object.assign(lexer.tokens.links, base.links);
  const tokens = lexer.lex(text.slice(base.settledLength));
  const open = openFrom(tokens);
  const settled = tokens.slice(0, open);
  return {
    text,
    settled: [...base.settled, ...settled.flatMap(toHtml)],
    settledLength: settled.reduce((length, token) => length + token.raw.length, base.settledLength),
    tail: tokens.slice(open).flatMap(toHtml),
    links: { ...lexer.tokens.links },
  };
}

/** Returns the index of the second to last block. */
function openFrom(tokens: readonly Token[]): number {
  let blocks = 0;
  for (let index = tokens.length - 1; index >= 0; index--) {
    if (tokens[index]?.type !== "space" && ++blocks === 2) return index;
  }
  return 0;
}

function toHtml(token: Token): string[] {
  const html = Parser.parse([token], marked.defaults);
  return html === "" ? [] : [html];
}

const plainTag = /(<\/?(?:br|sub|sup|kbd|mark|b|i|u|s|details|summary) ?\/?>)/i;

/**
 * Handles HTML in a model's Markdown: a few formatting tags stay, without attributes; all other
 * HTML is shown as text.
 *
 * @example plainTagsOnly("<b>x</b><script>") // "<b>x</b>&lt;script&gt;"
 */
function plainTagsOnly(html: string): string {
  return html
    .split(plainTag)
    .map((part, index) => (index % 2 === 1 ? part : escapeHtml(part)))
    .join("");
}
