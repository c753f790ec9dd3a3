import { parseSync, Visitor } from "oxc-parser";
import type { Passage } from "./passage.ts";

/** A literal with fewer words is a name, a key or a label. */
const leastWords = 4;

/**
 * Reads the comments and messages of a TypeScript file: adjoining line comments are one passage, and
 * a message is a string or template with at least four words.
 *
 * @param file the path from the root
 */
export function readSource(text: string, file: string): readonly Passage[] {
  const { program, comments } = parseSync(file, text);
  const lineAt = lineCounter(text);
  const found: Passage[] = [];
  let previous: { readonly end: number; readonly index: number } | undefined;
  for (const { type, value, start, end } of comments) {
    const said = type === "Line" ? value.trim() : docText(value);
    const joins =
      type === "Line" &&
      previous !== undefined &&
      /^\n[ \t]*$/.test(text.slice(previous.end, start));
    const before = joins ? found[previous?.index ?? -1] : undefined;
    if (before === undefined) {
      previous = type === "Line" ? { end, index: found.length } : undefined;
      found.push({ file, line: lineAt(start), kind: "comment", text: said });
    } else if (previous !== undefined) {
      found[previous.index] = { ...before, text: `${before.text} ${said}` };
      previous = { ...previous, end };
    }
  }
  const message = (start: number, said: string): void => {
    if (said.split(/\s+/).filter((word) => /^\p{L}/u.test(word)).length >= leastWords)
      found.push({ file, line: lineAt(start), kind: "message", text: plain(said) });
  };
  new Visitor({
    Literal(node) {
      if (typeof node.value === "string") message(node.start, node.value);
    },
    TemplateLiteral(node) {
      message(node.start, node.quasis.map(({ value }) => value.cooked ?? "").join("…"));
    },
    JSXText(node) {
      message(node.start, node.value);
    },
  }).visit(program);
  return found;
}

/** A docstring without stars, tags and examples. */
function docText(value: string): string {
  const lines = value.split("\n").map((line) => line.replace(/^\s*\*?\s?/, ""));
  return plain(lines.join("\n").replace(/@example[\s\S]*?(?=\n@|$)/g, ""))
    .replace(/@(param|throws|returns|default|typeParam)\s+/g, ". ")
    .trim();
}

function plain(text: string): string {
  return text
    .replace(/```[\s\S]*?(```|$)/g, " ")
    .replace(/`[^`]*`/g, "code")
    .replace(/\s+/g, " ")
    .trim();
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}
