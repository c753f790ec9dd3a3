/** A section of an article, with its subsections in its text. */
export interface ArticleSection {
  /** Its number in the list of contents: `2.1`. */
  readonly number: string;
  readonly heading: string;
  readonly text: string;
}

/** The plain text of an article, by sections. */
export interface Article {
  readonly introduction: string;
  readonly sections: readonly ArticleSection[];
  readonly whole: string;
}

interface Heading {
  readonly level: number;
  readonly heading: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Splits the plain text of an article at its headings, `== Heading ==`.
 *
 * @example splitArticle("About.\n\n== History ==\nOld.").sections // [{ number: "1", heading: "History", text: "Old." }]
 */
export function splitArticle(whole: string): Article {
  const headings = headingsOf(whole);
  const numbers = numbersOf(headings);
  const sections = headings.map(({ level, heading, end }, at) => {
    const next = headings.slice(at + 1).find((other) => other.level <= level);
    return {
      number: numbers[at] ?? "",
      heading,
      text: whole.slice(end, next?.start).trim(),
    };
  });
  return { introduction: whole.slice(0, headings[0]?.start).trim(), sections, whole: whole.trim() };
}

/**
 * Finds a section by its heading, ignoring case, or by its number; `all` is the whole article.
 *
 * @returns `undefined` if there is no such section
 */
export function findSection(
  { sections, whole }: Article,
  wanted: string,
): Pick<ArticleSection, "heading" | "text"> | undefined {
  const name = plain(wanted);
  const found =
    sections.find(({ heading }) => plain(heading) === name) ??
    sections.find(({ number }) => number === name.replace(/\.$/, "")) ??
    // As the list prints it: "2.1 Causes".
    sections.find(({ number, heading }) => plain(`${number} ${heading}`) === name);
  return found ?? (name === "all" ? { heading: "whole article", text: whole } : undefined);
}

function plain(text: string): string {
  return text.trim().replaceAll("_", " ").toLowerCase();
}

/** Reads line by line, because a pattern over the whole text could backtrack for long. */
function headingsOf(text: string): readonly Heading[] {
  const headings: Heading[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    const level = /^={2,6}/.exec(trimmed)?.[0].length ?? 0;
    if (level > 0 && trimmed.length > 2 * level && trimmed.endsWith("=".repeat(level)))
      headings.push({
        level,
        heading: trimmed.slice(level, -level).trim(),
        start,
        end: start + line.length,
      });
    start += line.length + 1;
  }
  return headings;
}

function numbersOf(headings: readonly Heading[]): readonly string[] {
  const counts: number[] = [];
  const levels: number[] = [];
  return headings.map(({ level }) => {
    while (levels.length > 0 && (levels.at(-1) ?? 0) > level) {
      levels.pop();
      counts.pop();
    }
    if (levels.at(-1) === level) counts.push((counts.pop() ?? 0) + 1);
    else {
      levels.push(level);
      counts.push(1);
    }
    return counts.join(".");
  });
}
