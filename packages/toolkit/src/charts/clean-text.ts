/**
 * Returns a text as one line without control characters and lone surrogates, which XML forbids even
 * if they are escaped.
 */
export function cleanText(text: string, limit: number): string {
  const clean = text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- the pattern removes control characters
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff\u202a-\u202e\u2066-\u2069]+/g, " ")
    .trim();
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).toWellFormed()}…`;
}
