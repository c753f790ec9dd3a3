import { convertDocument } from "@capstan/toolkit";
import { type Figure, measuredFigure } from "../figure.ts";
import { timesOf } from "./call.ts";
import { textPdf } from "./text-pdf.ts";

/** Measures the conversion of a PDF of 100 pages to Markdown. */
export async function figures(repetitions: number): Promise<readonly Figure[]> {
  const bytes = textPdf({ pages: 100, linesOfPage: 45 });
  const { signal } = new AbortController();
  const times = await timesOf(repetitions, async () => {
    const given = {
      name: "a.pdf",
      mimeType: "application/pdf",
      bytes: new Uint8Array(bytes),
      signal,
    };
    const converted = await convertDocument(given);
    if (converted.status === "failed") throw new Error(converted.reason);
    if (!converted.markdown.includes("line 45 of page 100")) throw new Error("A page is missing.");
  });
  const label = { case: "PDF of 100 pages to Markdown", subject: "capstan", unit: "ms" };
  return [measuredFigure(label, times)];
}
