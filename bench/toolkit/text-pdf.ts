/** Returns a PDF with lines of text. */
export function textPdf(size: { readonly pages: number; readonly linesOfPage: number }): Buffer {
  const pages = Array.from({ length: size.pages }, (_, at) => at + 1);
  // Objects 1 to 3 are the catalog, the list of pages and the font.
  const idOfPage = (page: number) => 2 + page * 2;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((page) => `${idOfPage(page)} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((page) => {
      const text = contentOf(page, size.linesOfPage);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${idOfPage(page) + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
      ];
    }),
  ];
  let pdf = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = pdf.length;
    pdf += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = pdf.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  pdf += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join("")}`;
  pdf += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(pdf, "latin1");
}

function contentOf(page: number, lines: number): string {
  const shown = Array.from(
    { length: lines },
    (_, at) =>
      `(This is line ${at + 1} of page ${page}, with words of a usual report about the year.) Tj T*`,
  );
  return `BT /F1 11 Tf 16 TL 40 800 Td\n${shown.join("\n")}\nET`;
}
