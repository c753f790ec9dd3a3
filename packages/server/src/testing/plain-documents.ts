import type { DocumentReader } from "../search/document-reader.ts";

/** Reads texts, divides them at empty lines, and finds their words. */
export const plainDocuments: DocumentReader = {
  read: async ({ bytes }) =>
    bytes.includes(0) || bytes.length === 0
      ? { status: "failed", cause: "invalid", reason: "it contains no text" }
      : { status: "read", text: new TextDecoder().decode(bytes) },
  *split(text) {
    for (const [index, part] of text.split("\n\n").entries())
      yield { text: part, place: { startLine: index + 1, endLine: index + 1 } };
  },
  words: (text) => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) => `w${word}`),
  rank: (parts, words) =>
    parts
      .map(({ part, words: own, similarity = 0 }) => ({
        part,
        score: Math.max(words.filter((word) => own.has(word)).length / words.length, similarity),
      }))
      .toSorted((a, b) => b.score - a.score),
};
