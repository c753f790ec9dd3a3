import { parseSync } from "oxc-parser";

/** The code of an `@example` tag. */
export interface DocstringExample {
  /** 1-based. */
  readonly line: number;
  readonly code: string;
}

/**
 * Returns the examples in the docstrings of a TypeScript file, in order. An example ends at the next
 * tag or at the end of its docstring.
 *
 * @param file the file's path, which selects the syntax
 */
export function readExamples(text: string, file: string): readonly DocstringExample[] {
  return parseSync(file, text).comments.flatMap(({ type, value, start }) => {
    if (type !== "Block" || !value.startsWith("*")) return [];
    const firstLine = text.slice(0, start).split("\n").length;
    const lines = value
      .slice(1)
      .split("\n")
      .map((line) => line.replace(/^\s*\*? ?/, ""));
    const found: { line: number; code: string[] }[] = [];
    let current: { line: number; code: string[] } | undefined;
    for (const [index, line] of lines.entries()) {
      const tag = /(?:^|\s)@example\b(.*)$/.exec(line);
      if (tag !== null) {
        current = { line: firstLine + index, code: [tag[1] ?? ""] };
        found.push(current);
      } else if (/^@[a-z]/i.test(line)) current = undefined;
      else current?.code.push(line);
    }
    return found.map(({ line, code }) => ({ line, code: code.join("\n").trim() }));
  });
}
