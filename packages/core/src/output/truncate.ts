export interface Truncated {
  readonly text: string;
  /** Characters left out; 0 where nothing was. */
  readonly omitted: number;
  /** Where the part that was left out begins, in the whole text. */
  readonly omittedFrom: number;
}

/**
 * Cuts a text to about `limit` characters, keeping its head and its tail and saying how much is
 * missing between them. Never splits a surrogate pair; prefers to cut at a line's end.
 *
 * @example truncate("0123456789".repeat(1000), 100).omitted // 9,900
 */
export function truncate(text: string, limit: number): Truncated {
  if (text.length <= limit) return { text, omitted: 0, omittedFrom: text.length };
  const headEnd = cutBefore(text, Math.ceil(limit * 0.8));
  const tailStart = Math.max(headEnd, cutAfter(text, text.length - Math.floor(limit * 0.2)));
  const omitted = tailStart - headEnd;
  const notice = `\n[… ${omitted.toLocaleString("en-US")} characters left out …]\n`;
  return {
    text: text.slice(0, headEnd) + notice + text.slice(tailStart),
    omitted,
    omittedFrom: headEnd,
  };
}

/** How far back a cut may move to end with a line, as a part of what is kept. */
const lineSlack = 0.1;

function cutBefore(text: string, at: number): number {
  const line = text.lastIndexOf("\n", at - 1) + 1;
  if (line > at * (1 - lineSlack)) return line;
  return isLowSurrogate(text, at) ? at - 1 : at;
}

function cutAfter(text: string, at: number): number {
  const line = text.indexOf("\n", at) + 1;
  if (line > 0 && line - at < (text.length - at) * lineSlack) return line;
  return isLowSurrogate(text, at) ? at + 1 : at;
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
