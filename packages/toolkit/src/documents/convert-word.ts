import mammoth from "mammoth";
import { htmlToMarkdown } from "../html/html-to-markdown.ts";
import { openArchive, repack } from "./open-archive.ts";

/** Returns a Word document as Markdown, without its pictures. */
export async function convertWord(bytes: Uint8Array): Promise<string> {
  const buffer = Buffer.from(repack(openArchive(bytes)));
  const { value } = await mammoth.convertToHtml(
    { buffer },
    {
      externalFileAccess: false,
      convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
    },
  );
  const page = `<html><body>${value.replaceAll(tableCell, cellInOneLine)}</body></html>`;
  return htmlToMarkdown(page, "about:blank", { part: "content" }).markdown;
}

const tableCell = /<(t[dh])([^>]*)>([^]*?)<\/\1>/g;

/** Returns a cell without paragraphs, because a row of a Markdown table is one line. */
function cellInOneLine(_cell: string, tag: string, attributes: string, content: string): string {
  const line = content.replaceAll("</p><p>", "<br>").replaceAll(/<\/?p>/g, "");
  return `<${tag}${attributes}>${line}</${tag}>`;
}
