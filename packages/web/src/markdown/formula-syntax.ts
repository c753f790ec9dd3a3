import { type MarkedExtension, Tokenizer, type Tokens } from "marked";
import { escapeHtml } from "./escape-html.ts";

/** The longest formula in UTF-16 code units. A longer one is shown as text. */
const longest = 10_000;

interface Delimiters {
  readonly open: string;
  readonly close: string;
}

const displayDelimiters: readonly Delimiters[] = [
  { open: "$$", close: "$$" },
  { open: String.raw`\[`, close: String.raw`\]` },
];
const parentheses: Delimiters = { open: String.raw`\(`, close: String.raw`\)` };

interface FormulaToken extends Tokens.Generic {
  readonly type: "formula" | "displayFormula";
  readonly raw: string;
  /** The formula; null for a block whose end is missing. */
  readonly text: string | null;
}

/**
 * Parses formulas in TeX before Markdown changes their backslashes and underscores: `$x$` and
 * `\(x\)` within a line, `$$x$$` and `\[x\]` across lines, too. The rules for a single `$` are
 * those of Pandoc, so that prices stay text: no space after the first or before the last, and no
 * digit after the last.
 *
 * @example new Marked(formulaSyntax()).parse("$a_1$") // <p><code class="language-formula">a_1</code></p>
 */
export function formulaSyntax(): MarkedExtension {
  return {
    tokenizer: { inlineText: textUntilDollar },
    extensions: [
      {
        name: "displayFormula",
        level: "block",
        start: startOfDisplay,
        tokenizer: (source) => displayFormula(source),
        renderer: ({ raw, text }) =>
          text === null ? `<p>${escapeHtml(raw)}</p>\n` : displayHtml(String(text)),
      },
      {
        name: "formula",
        level: "inline",
        tokenizer: (source) => formula(source),
        renderer: ({ text, display }) =>
          display === true ? displayHtml(String(text)) : inlineHtml(String(text)),
      },
    ],
  };
}

const inlineHtml = (tex: string) => `<code class="language-formula">${escapeHtml(tex)}</code>`;
const displayHtml = (tex: string) =>
  `<code class="language-formula-display">${escapeHtml(tex)}</code>`;

/** Reads plain text up to the next `$`, which may begin a formula. */
function textUntilDollar(this: Tokenizer, source: string): Tokens.Text | false {
  const dollar = source.indexOf("$", 1);
  if (dollar === -1) return false;
  const token = Tokenizer.prototype.inlineText.call(this, source.slice(0, dollar));
  return token?.type === "text" ? token : false;
}

/** Finds a line of the first paragraph that begins with a display formula. */
function startOfDisplay(source: string): number | undefined {
  const end = source.indexOf("\n\n");
  const paragraph = end === -1 ? source : source.slice(0, end);
  const at = paragraph.search(/\n {0,3}(?:\$\$|\\\[)/);
  return at === -1 ? undefined : at + 1;
}

/**
 * Reads a block that begins with `$$` or `\[`. A formula has no empty line, so a block without an
 * end may still grow while it is the last one. Until then it is one block of text, and not the list
 * that a line with a minus would begin.
 */
function displayFormula(source: string): FormulaToken | undefined {
  const indent = /^ {0,3}/.exec(source)?.[0].length ?? 0;
  const found = displayDelimiters.find(({ open }) => source.startsWith(open, indent));
  if (found === undefined) return undefined;
  const start = indent + found.open.length;
  const emptyLine = source.indexOf("\n\n", start);
  const body = source.slice(start, emptyLine === -1 ? source.length : emptyLine);
  const end = body.indexOf(found.close);
  if (end === -1) {
    const mayGrow = emptyLine === -1 && /^[ \t]*(?:\n|\\)/.test(body);
    return mayGrow ? { type: "displayFormula", raw: source, text: null } : undefined;
  }
  const text = body.slice(0, end).trim();
  if (text === "" || text.length > longest) return undefined;
  const after = /^[ \t]*(?:\n+|$)/.exec(source.slice(start + end + found.close.length));
  // A formula of one line can be part of a sentence, and then belongs to its paragraph.
  if (after === null && !body.slice(0, end).includes("\n")) return undefined;
  const length = start + end + found.close.length + (after?.[0].length ?? 0);
  return { type: "displayFormula", raw: source.slice(0, length), text };
}

function formula(source: string): FormulaToken | undefined {
  const delimiters = [...displayDelimiters, parentheses].find(({ open }) =>
    source.startsWith(open),
  );
  if (delimiters !== undefined) return delimited(source, delimiters);
  if (!source.startsWith("$")) return undefined;
  const found = /^\$(?![\s$])((?:\\[^]|[^\\$\n]|\n(?!\n)){1,1000}?)(?<!\s)\$(?!\d)/.exec(source);
  return found === null
    ? undefined
    : { type: "formula", raw: found[0], text: found[1] ?? "", display: false };
}

function delimited(source: string, { open, close }: Delimiters): FormulaToken | undefined {
  const end = source.slice(0, longest).indexOf(close, open.length);
  if (end === -1) return undefined;
  const text = source.slice(open.length, end).trim();
  if (text === "") return undefined;
  const display = open !== parentheses.open;
  return { type: "formula", raw: source.slice(0, end + close.length), text, display };
}
