import { htmlToMarkdown } from "../html/html-to-markdown.ts";
import { DocumentProblem } from "./document-problem.ts";
import { openArchive } from "./open-archive.ts";
import { elementsOf, readXml, resolvePath } from "./read-xml.ts";

/** Returns the chapters of an EPUB book as Markdown, in reading order. */
export function convertBook(bytes: Uint8Array): string {
  const files = openArchive(bytes);
  const container = readXml(files, "META-INF/container.xml");
  const main = elementsOf(container, "rootfile")[0]?.getAttribute("full-path") ?? "";
  const book = readXml(files, main);
  const items = new Map(
    elementsOf(book, "item").map((item) => [item.getAttribute("id"), item.getAttribute("href")]),
  );
  const chapters = elementsOf(book, "itemref").flatMap((reference) => {
    if (reference.getAttribute("linear") === "no") return [];
    const href = items.get(reference.getAttribute("idref"));
    const path = href == null ? "" : resolvePath(main, href);
    const content = Object.hasOwn(files, path) ? files[path] : undefined;
    if (content === undefined) return [];
    const page = new TextDecoder().decode(content);
    return htmlToMarkdown(page, "about:blank", { part: "content" }).markdown;
  });
  if (chapters.length === 0) throw new DocumentProblem("it has no chapters");
  return chapters.join("\n\n");
}
