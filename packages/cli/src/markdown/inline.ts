import type { Style } from "../terminal/style.ts";

/** Markup that is not closed within this many characters is plain text. */
const maxMarkup = 500;

type Reading =
  /** A piece of markup, and the number of characters that it replaces. */
  | { readonly type: "piece"; readonly text: string; readonly length: number }
  /** The text may become markup when more of the line arrives. */
  | { readonly type: "open" }
  | { readonly type: "plain" };

/**
 * Formats the text of one line as it arrives. Only markup that is not closed yet is held back.
 *
 * @param paint formats the plain text, for example in a heading
 */
export function createInline(style: Style, paint: (text: string) => string = (text) => text) {
  let held = "";
  let last = "";

  /** Returns the text that can be shown: all of it at the end of the line. */
  function take(isEnd: boolean): string {
    let shown = "";
    let plain = "";
    const flush = () => {
      if (plain !== "") shown += paint(plain);
      plain = "";
    };
    while (held !== "") {
      const read = readMarkup(held.slice(0, maxMarkup + 1), {
        style,
        before: last,
        isEnd: isEnd && held.length <= maxMarkup,
      });
      if (read.type === "open" && held.length <= maxMarkup) break;
      if (read.type === "piece") {
        flush();
        shown += read.text;
        last = held.charAt(read.length - 1);
        held = held.slice(read.length);
        continue;
      }
      const [character = ""] = held;
      plain += character;
      last = character;
      held = held.slice(character.length);
    }
    flush();
    return shown;
  }

  return {
    write(text: string): string {
      held += text;
      return take(false);
    },
    end: () => take(true),
  };
}

/** Returns a whole line with its markup formatted. */
export function formatInline(text: string, style: Style): string {
  const inline = createInline(style);
  return inline.write(text) + inline.end();
}

interface Place {
  readonly style: Style;
  /** The character before the text, or an empty string. */
  readonly before: string;
  /** Whether no more text of the line follows. */
  readonly isEnd: boolean;
}

function readMarkup(text: string, { style, before, isEnd }: Place): Reading {
  const open: Reading = isEnd ? { type: "plain" } : { type: "open" };
  const piece = (match: RegExpExecArray, shown: string): Reading => ({
    type: "piece",
    text: shown,
    length: match[0].length,
  });
  switch (text.charAt(0)) {
    case "\\": {
      const escaped = /^\\([\\`*_[\]()#!|~-])/.exec(text);
      if (escaped) return piece(escaped, escaped[1] ?? "");
      return text.length === 1 ? open : { type: "plain" };
    }
    case "`": {
      const code = /^(`+)(?!`)(.+?)(?<!`)\1(?!`)/.exec(text);
      // A further backtick may follow.
      if (code && (isEnd || code[0].length < text.length))
        return piece(code, style.cyan(code[2] ?? ""));
      return open;
    }
    case "*":
    case "_": {
      if (text.startsWith("_") && /[\p{L}\p{N}]/u.test(before)) return { type: "plain" };
      const strong = /^(\*\*|__)(?!\s)(.+?)(?<!\s)\1/.exec(text);
      if (strong) return piece(strong, style.bold(formatInline(strong[2] ?? "", style)));
      const emphasis = /^([*_])(?![\s*_])(.+?)(?<![\s*_])\1(?![*_\p{L}\p{N}])/u.exec(text);
      if (emphasis && (isEnd || emphasis[0].length < text.length))
        return piece(emphasis, style.italic(formatInline(emphasis[2] ?? "", style)));
      return /^[*_]{1,2}(?:\s|$)/.test(text) && text.length > 1 && !/^[*_]{2}$/.test(text)
        ? { type: "plain" }
        : open;
    }
    case "!":
    case "[": {
      if (/^!(?!\[|$)/.test(text)) return { type: "plain" };
      const link = /^!?\[([^\]]*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)/.exec(
        text,
      );
      if (link) return piece(link, linkText(link, style));
      return /^!?\[[^\]]*\](?:$|\()/.test(text) || !text.includes("]") ? open : { type: "plain" };
    }
    default:
      return { type: "plain" };
  }
}

/** The address stays visible, because the text of a link can be misleading. */
function linkText([, title = "", address = ""]: RegExpExecArray, style: Style): string {
  return title === "" || title === address
    ? style.underline(address)
    : `${formatInline(title, style)} ${style.dim(`(${address})`)}`;
}
