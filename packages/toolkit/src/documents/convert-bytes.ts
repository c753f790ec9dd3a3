import type { DocumentKind } from "./document-kind.ts";
import { DocumentProblem } from "./document-problem.ts";

/** A document as Markdown, or why it could not be converted. */
export type ConvertedDocument =
  | { readonly status: "converted"; readonly markdown: string }
  | {
      readonly status: "failed";
      readonly reason: string;
      /** Whether another attempt may succeed, for example after a timeout. @default false */
      readonly isTransient?: boolean;
    };

/** The maximum number of characters of a document's Markdown. Longer documents are truncated. */
const maxChars = 400_000;

/**
 * Converts a document in this process. Documents are not trusted: run it in a process with limits on
 * time and memory. Loads the library of the document's kind on first use.
 */
export async function convertBytes(
  kind: DocumentKind,
  bytes: Uint8Array,
): Promise<ConvertedDocument> {
  try {
    const markdown = await convert(kind, bytes);
    if (markdown.trim() === "") throw new DocumentProblem("it contains no text");
    return { status: "converted", markdown: cut(markdown) };
  } catch (thrown) {
    // Messages of the libraries can contain parts of the document.
    const reason = thrown instanceof DocumentProblem ? thrown.message : "it is corrupt";
    return { status: "failed", reason };
  }
}

function cut(markdown: string): string {
  const left = markdown.length - maxChars;
  if (left <= 0) return markdown;
  const beginning = markdown.slice(0, maxChars).toWellFormed();
  return `${beginning}\n\n[Truncated: ${left} of ${markdown.length} characters omitted.]`;
}

async function convert(kind: DocumentKind, bytes: Uint8Array): Promise<string> {
  switch (kind) {
    case "pdf":
      return (await import("./convert-pdf.ts")).convertPdf(bytes);
    case "docx":
      return (await import("./convert-word.ts")).convertWord(bytes);
    case "xlsx":
      return (await import("./convert-workbook.ts")).convertWorkbook(bytes);
    case "pptx":
      return (await import("./convert-slides.ts")).convertSlides(bytes);
    case "epub":
      return (await import("./convert-book.ts")).convertBook(bytes);
    case "html": {
      const { htmlToMarkdown } = await import("../html/html-to-markdown.ts");
      const { title, markdown } = htmlToMarkdown(decodeHtml(bytes), "about:blank");
      return title === undefined || markdown.startsWith("# ")
        ? markdown
        : `# ${title}\n\n${markdown}`;
    }
  }
}

function decodeHtml(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString("latin1");
  const charset = /<meta[^>]+charset=["']?([\w-]{1,40})/i.exec(start)?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
