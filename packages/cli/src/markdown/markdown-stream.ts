import type { Style } from "../terminal/style.ts";
import { createInline } from "./inline.ts";
import { formatTable } from "./table.ts";

/** A longer table is shown in parts, so that memory is bounded. */
const maxTableLines = 500;

/** A longer marker at the beginning of a line is text. */
const maxMarker = 200;

export interface MarkdownStream {
  /** Returns the new text that can be shown. */
  write(text: string): string;
  /** Returns the rest. The stream can then take another text. */
  end(): string;
}

interface MarkdownOptions {
  readonly style: Style;
  /** Returns the current width of the terminal. */
  readonly columns: () => number;
}

/**
 * Formats Markdown for a terminal as it arrives. Text is shown as soon as it cannot be
 * markup; tables are shown when they end.
 *
 * @example createMarkdownStream({ style, columns: () => 80 }).write("**Hi** there") // a bold "Hi", " there"
 */
export function createMarkdownStream({ style, columns }: MarkdownOptions): MarkdownStream {
  let start = "";
  let inline: ReturnType<typeof createInline> | undefined;
  let fence: string | undefined;
  let table: string[] = [];

  function write(text: string): string {
    let shown = "";
    for (const piece of text.split(/(?<=\n)/)) {
      const isLine = piece.endsWith("\n");
      const part = isLine ? piece.slice(0, -1) : piece;
      shown += isLine ? endLine(part) : continueLine(part);
    }
    return shown;
  }

  function continueLine(part: string): string {
    if (inline) return inline.write(part);
    start += part;
    // Code, tables and fences are read by whole lines.
    if (fence !== undefined || /^\s*[|`~]/.test(start)) return "";
    return start.length < maxMarker && isMarker(start) ? "" : beginLine();
  }

  function endLine(part: string): string {
    if (inline) {
      const rest = inline.write(part) + inline.end();
      inline = undefined;
      return `${rest}\n`;
    }
    const line = start + part;
    start = "";
    if (fence !== undefined) return codeLine(line, fence);
    if (/^\s*\|/.test(line)) {
      table.push(line);
      return table.length < maxTableLines ? "" : endTable();
    }
    const opening = /^\s{0,3}(`{3,}|~{3,})\s*([^`]*)$/.exec(line);
    if (opening) {
      fence = opening[1] ?? "";
      return `${endTable()}${style.dim(`╭ ${opening[2]?.trim() ?? ""}`.trimEnd())}\n`;
    }
    if (/^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/.test(line))
      return `${endTable()}${style.dim("─".repeat(Math.min(40, columns())))}\n`;
    start = line;
    const shown = beginLine();
    return shown + endLine("");
  }

  /** Shows the beginning of a line, and reads the rest as inline text. */
  function beginLine(): string {
    const line = start;
    start = "";
    const before = endTable();
    const heading = /^\s{0,3}#{1,6}\s+/.exec(line);
    if (heading) {
      inline = createInline(style, style.bold);
      return before + inline.write(line.slice(heading[0].length));
    }
    const quote = /^\s{0,3}(?:>\s?)+/.exec(line);
    const bullet = /^(\s*)[-*+]\s+(?:\[([ xX])\]\s+)?/.exec(line);
    const [sign, length] = quote
      ? [style.dim("│ ".repeat(quote[0].replaceAll(/[^>]/g, "").length)), quote[0].length]
      : bullet
        ? [`${bullet[1]}${bulletSign(bullet[2])} `, bullet[0].length]
        : ["", 0];
    inline = createInline(style);
    return before + sign + inline.write(line.slice(length));
  }

  function codeLine(line: string, opening: string): string {
    if (line.trim().startsWith(opening) && /^\s*[`~]+\s*$/.test(line)) {
      fence = undefined;
      return `${style.dim("╰")}\n`;
    }
    return `${style.dim("│")} ${style.cyan(line)}\n`;
  }

  function endTable(): string {
    if (table.length === 0) return "";
    const lines = table;
    table = [];
    return formatTable(lines, { style, columns: columns() });
  }

  function end(): string {
    const isOpen = inline !== undefined || start !== "";
    const rest = isOpen ? endLine("").slice(0, -1) : "";
    const shown = rest + endTable();
    fence = undefined;
    return shown;
  }

  return { write, end };
}

/** Whether the text may be an incomplete marker of a list, a heading, a quote or a rule. */
function isMarker(start: string): boolean {
  return /^\s*(?:$|#{1,6}|(?:>\s?)+|[-*_+=]{1,}|[-*+]\s+(?:\[[ xX]?\]?)?|(?:[-*_]\s*)+)\s*$/.test(
    start,
  );
}

function bulletSign(task: string | undefined): string {
  return task === undefined ? "•" : task === " " ? "☐" : "☑";
}
