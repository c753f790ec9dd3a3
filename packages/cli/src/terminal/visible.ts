import {
  directionPieces,
  firstParts,
  hasRightToLeft,
  type VisibleArgument,
  visibleLine,
  type VisiblePart,
} from "@capstan/core/text";
import { chatTexts } from "../texts/chat.ts";
import type { Style } from "./style.ts";

// Untrusted text in a prompt. Invisible characters are shown as marks, and each line begins with
// a sign, so that no text can imitate a line of the prompt itself.

/** Display options of a prompt. */
export interface QuestionView {
  readonly style: Style;
  /** The width of the terminal. */
  readonly columns: number;
  /** Whether long texts are shown in full. */
  readonly whole: boolean;
}

/** The text of a prompt, and whether it was truncated. */
export interface ShownText {
  readonly text: string;
  readonly isCut: boolean;
}

const cutAt = { lines: 40, characters: 4_000 };

/** Returns a name, a title or a reason in one line. */
export function visibleName(text: string, style: Style): string {
  return painted(visibleLine(text), style);
}

/** Isolates the whole name too, so that it does not swap places with the words around it. */
function painted(parts: readonly VisiblePart[], style: Style): string {
  const name = parts.flatMap((part) => piecesOf(part, style).map(({ text, paint }) => paint(text)));
  const isDirected = parts.some(({ text }) => hasRightToLeft(text));
  return isDirected ? isolate(name.join("")) : name.join("");
}

/** Isolates a right-to-left text, so that it keeps its position in the line. */
const isolate = (text: string) => `\u2068${text}\u2069`;

/** Splits a part into pieces that are painted differently: marks, words to isolate, other text. */
function piecesOf(part: VisiblePart, { inverse }: Style) {
  if (part.type === "mark") return [{ text: part.text, paint: inverse }];
  return directionPieces(part.text).map((text, index) => ({
    text,
    paint: index % 2 === 1 ? isolate : (piece: string) => piece,
  }));
}

/** Returns a text in separate lines. A long text is truncated unless `view.whole` is set. */
export function visibleBlock(parts: readonly VisiblePart[], view: QuestionView): ShownText {
  const first = view.whole ? { parts, left: 0 } : firstParts(parts, cutAt);
  const more = `  ${chatTexts.approval.cut(first.left)}`;
  const lines = [
    ...linesOf(first.parts, view),
    ...(first.left > 0 ? [view.style.yellow(more)] : []),
  ];
  return { text: lines.join("\n"), isCut: first.left > 0 };
}

/** Returns a call's arguments as text, each under its name. */
export function argumentsBlock(args: readonly VisibleArgument[], view: QuestionView): ShownText {
  if (args.length === 0) return { text: `  ${chatTexts.approval.noArguments}`, isCut: false };
  const blocks = args.map(({ name, value }) => {
    const block = visibleBlock(value, view);
    return { text: `  ╭ ${painted(name, view.style)}\n${block.text}`, isCut: block.isCut };
  });
  return {
    text: blocks.map(({ text }) => text).join("\n"),
    isCut: blocks.some(({ isCut }) => isCut),
  };
}

/**
 * Splits a text into lines that fit into the terminal. If the terminal broke a line, the rest would
 * look like a line of the prompt.
 */
function linesOf(
  parts: readonly VisiblePart[],
  { style, columns }: QuestionView,
): readonly string[] {
  const width = Math.max(20, columns - 5);
  const lines: string[] = [];
  let line = "  │ ";
  let used = 0;
  const begin = (sign: string) => {
    lines.push(line);
    line = `  ${sign} `;
    used = 0;
  };
  for (const { text, paint } of parts.flatMap((part) => piecesOf(part, style))) {
    for (const [index, segment] of text.split(/\r?\n/).entries()) {
      if (index > 0) begin("│");
      let piece = "";
      for (const character of segment) {
        const columnsOf = character === "\t" ? 8 : character > "\u007E" ? 2 : 1;
        if (used + columnsOf > width) {
          line += piece === "" ? "" : paint(piece);
          piece = "";
          begin("┊");
        }
        piece += character;
        used += columnsOf;
      }
      line += piece === "" ? "" : paint(piece);
    }
  }
  return [...lines, line];
}
