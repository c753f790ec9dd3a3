const limit = 128;
const longRuns = /[\p{L}\p{M}]{129,}|\s{129,}|[^\s\p{L}\p{M}\p{N}]{129,}/gu;
const pieces = /[\s\S]{1,128}/gu;

/**
 * Cuts runs of letters, spaces or signs that go on for more than 128 characters. The encoder
 * takes such a run for one word, and its time grows with the square of a word: 20,000 characters
 * without a break would hold the event loop for seconds.
 */
export function splitLongRuns(text: string): readonly string[] {
  if (text.length <= limit) return [text];
  const result: string[] = [];
  let end = 0;
  for (const run of text.matchAll(longRuns)) {
    if (run.index > end) result.push(text.slice(end, run.index));
    result.push(...(run[0].match(pieces) ?? []));
    end = run.index + run[0].length;
  }
  if (end < text.length) result.push(text.slice(end));
  return result;
}
