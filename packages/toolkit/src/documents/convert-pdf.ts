import { extractText, getDocumentProxy } from "unpdf";
import { DocumentProblem } from "./document-problem.ts";

const maxPages = 2_000;

/** Returns the text of a PDF's pages. Scanned pages have no text. */
export async function convertPdf(bytes: Uint8Array): Promise<string> {
  const document = await getDocumentProxy(new Uint8Array(bytes), {
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    verbosity: 0,
  }).catch((thrown: unknown) => {
    const isEncrypted = thrown instanceof Error && thrown.name === "PasswordException";
    throw new DocumentProblem(
      isEncrypted ? "it is protected with a password" : "it is not a valid PDF",
    );
  });
  if (document.numPages > maxPages)
    throw new DocumentProblem(`it has ${document.numPages} pages; at most ${maxPages} are read`);
  const { text } = await extractText(document, { mergePages: false });
  if (text.every((page) => page.trim() === ""))
    throw new DocumentProblem("its pages contain pictures, and no text");
  return text.map((page, index) => `## Page ${index + 1}\n\n${page.trim()}`).join("\n\n");
}
