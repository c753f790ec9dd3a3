import { readFile, writeFile } from "node:fs/promises";

const page = new URL("../docs/benchmarks.md", import.meta.url);

/**
 * Writes a bench's figures into docs/benchmarks.md, between its marks. The text outside of the
 * marks stays as it is.
 *
 * @throws Error if the page has no marks for this bench
 */
export async function writeFigures(bench: string, figures: string): Promise<void> {
  const [begin, end] = [`<!-- figures of ${bench} -->`, `<!-- end of ${bench} -->`];
  const text = await readFile(page, "utf8");
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to < from) {
    throw new Error(
      `docs/benchmarks.md has no marks for ${bench}. Add these two lines: ${begin} ${end}`,
    );
  }
  await writeFile(page, `${text.slice(0, from + begin.length)}\n\n${figures}\n\n${text.slice(to)}`);
}
