import { markdownTable } from "./markdown-table.ts";
import { openArchive } from "./open-archive.ts";
import { elementsOf, readXml, relationshipsOf } from "./read-xml.ts";

/** Returns the slides of a presentation as Markdown: titles, texts, tables and notes. */
export function convertSlides(bytes: Uint8Array): string {
  const files = openArchive(bytes);
  const main = "ppt/presentation.xml";
  const targets = relationshipsOf(files, main);
  const slides = elementsOf(readXml(files, main), "p:sldId").map(
    (element) => targets.get(element.getAttribute("r:id") ?? "") ?? "",
  );
  const texts = slides.map((file, index) => {
    const slide = readXml(files, file);
    const notesFile = [...relationshipsOf(files, file).values()].find((target) =>
      target.startsWith("ppt/notesSlides/"),
    );
    const notes = notesFile === undefined ? [] : shapesOf(readXml(files, notesFile));
    const said = notes.filter(({ type }) => type === "body").map(({ text }) => text);
    const shapes = shapesOf(slide);
    const title = shapes.find(({ type }) => type === "title" || type === "ctrTitle");
    const body = shapes.filter((shape) => shape !== title).map(({ text }) => text);
    return [
      `## Slide ${index + 1}${title === undefined ? "" : `: ${title.text.replaceAll("\n", " ")}`}`,
      ...body,
      ...(said.length > 0 ? [`Notes: ${said.join("\n")}`] : []),
    ].join("\n\n");
  });
  return texts.join("\n\n");
}

interface Shape {
  readonly type: string;
  readonly text: string;
}

/** Returns the texts and tables of a slide. Omits fields such as the slide's number. */
function shapesOf(slide: Document): readonly Shape[] {
  const shapes: Shape[] = [];
  for (const element of elementsOf(slide, "p:spTree").flatMap((tree) => [...tree.children])) {
    for (const table of elementsOf(element, "a:tbl")) {
      const rows = elementsOf(table, "a:tr").map((row) =>
        elementsOf(row, "a:tc").map((cell) => paragraphsOf(cell).join("\n")),
      );
      if (rows.length > 0) shapes.push({ type: "table", text: markdownTable(rows) });
    }
    const type = elementsOf(element, "p:ph")[0]?.getAttribute("type") ?? "";
    if (elementsOf(element, "a:tbl").length > 0 || /^(?:sldNum|dt|ftr)$/.test(type)) continue;
    const text = paragraphsOf(element).join("\n");
    if (text !== "") shapes.push({ type, text });
  }
  return shapes;
}

function paragraphsOf(element: Element): readonly string[] {
  return elementsOf(element, "a:p").flatMap((paragraph) => {
    const level = Number(elementsOf(paragraph, "a:pPr")[0]?.getAttribute("lvl") ?? 0);
    const text = elementsOf(paragraph, "a:t")
      .map(({ textContent }) => textContent ?? "")
      .join("")
      .trim();
    return text === "" ? [] : [`${"  ".repeat(Math.min(Math.max(level, 0), 8))}${text}`];
  });
}
