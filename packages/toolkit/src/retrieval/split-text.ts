/** The location of a part in its document. Lines count from 1. */
export interface ChunkPlace {
  readonly startLine: number;
  readonly endLine: number;
  /** The page on which the part begins, if the document has pages. */
  readonly page?: number;
  /** The heading above the part. */
  readonly heading?: string;
}

/** A part of a document. */
export interface TextChunk {
  readonly text: string;
  readonly place: ChunkPlace;
}

/** The size of the parts, in estimated tokens. */
export interface ChunkSize {
  readonly maxTokens: number;
  /** The number of tokens that a part repeats from the end of the previous one. */
  readonly overlapTokens: number;
}

/** A paragraph, a heading, a table, a code block, or a piece of a long one. */
interface Block {
  readonly text: string;
  readonly tokens: number;
  readonly startLine: number;
  readonly endLine: number;
  readonly page: number | undefined;
  readonly heading: string | undefined;
  readonly isHeading: boolean;
}

const headingMark = /^#{1,6}(?=\s)/;
const pageHeading = /^## Page (\d+)$/;
const pauseLines = 1_000;
const fence = /^\s*(?:```|~~~)/;

/** Returns an estimate of the tokens of a text: 4 characters a token, or 1 in Asian scripts. */
export function estimateChunkTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index += 1)
    if (text.charCodeAt(index) >= 0x2e80) wide += 1;
  return Math.ceil((text.length - wide) / 4 + wide);
}

/**
 * Splits a text or Markdown into parts at its headings and paragraphs. Only paragraphs that are
 * longer than a part are divided. Lines are read one by one, so the caller can pause between parts.
 * Yields `undefined` after 1,000 lines without a part, for example blank ones.
 *
 * @example
 * for (const part of splitText("# A\n\nOne.", { maxTokens: 800, overlapTokens: 400 }))
 *   if (part !== undefined) console.log(part.place.startLine, part.text);
 */
export function* splitText(text: string, size: ChunkSize): Generator<TextChunk | undefined> {
  let open: Block[] = [];
  let tokens = 0;
  for (const block of blocksOf(text, size.maxTokens)) {
    if (block === undefined) {
      yield undefined;
      continue;
    }
    const isFull = tokens + block.tokens > size.maxTokens;
    const isNewSection = block.isHeading && tokens >= size.maxTokens / 2;
    if (open.length > 0 && (isFull || isNewSection)) {
      yield chunkOf(open);
      // A part that begins a section does not repeat the end of the previous section.
      open = isNewSection && !isFull ? [] : overlap(open, size, block.tokens);
      tokens = sum(open);
    }
    open.push(block);
    tokens += block.tokens;
  }
  if (open.length > 0) yield chunkOf(open);
}

/** Returns the blocks at the end of a part that the next part repeats. */
function overlap(
  blocks: readonly Block[],
  { maxTokens, overlapTokens }: ChunkSize,
  next: number,
): Block[] {
  const kept: Block[] = [];
  let tokens = 0;
  for (const block of blocks.slice(1).toReversed()) {
    tokens += block.tokens;
    if (tokens > overlapTokens || tokens + next > maxTokens) break;
    kept.unshift(block);
  }
  return kept;
}

function sum(blocks: readonly Block[]): number {
  return blocks.reduce((total, { tokens }) => total + tokens, 0);
}

function chunkOf(blocks: readonly Block[]): TextChunk {
  const [first] = blocks;
  const { page, heading, startLine = 1 } = first ?? {};
  const above = heading ?? blocks.find((block) => block.heading !== undefined)?.heading;
  return {
    text: blocks.map((block) => block.text).join("\n\n"),
    place: {
      startLine,
      endLine: blocks.at(-1)?.endLine ?? startLine,
      ...(page !== undefined && { page }),
      ...(above !== undefined && { heading: above }),
    },
  };
}

/** Yields `undefined` after each 1,000 lines. */
function* blocksOf(text: string, maxTokens: number): Generator<Block | undefined> {
  let lines: string[] = [];
  let tokens = 0;
  let first = 1;
  let number = 0;
  let page: number | undefined;
  let heading: string | undefined;
  let isCode = false;

  function* flush(isHeading = false): Generator<Block> {
    const joined = lines.join("\n");
    const [startLine, endLine] = [first, first + Math.max(lines.length, 1) - 1];
    lines = [];
    tokens = 0;
    if (joined.trim() === "") return;
    const more = { startLine, endLine, page, heading, isHeading };
    for (const piece of pieces(joined, maxTokens))
      yield { text: piece, tokens: estimateChunkTokens(piece), ...more };
  }

  for (const line of linesOf(text)) {
    number += 1;
    if (number % pauseLines === 0) yield undefined;
    const onPage = isCode ? null : pageHeading.exec(line);
    const mark = isCode ? undefined : headingMark.exec(line)?.[0];
    if (mark !== undefined) {
      yield* flush();
      first = number;
      if (onPage === null) heading = line.slice(mark.length).trimStart().slice(0, 200);
      else page = Number(onPage[1]);
      // The heading of a page is not part of the document.
      if (onPage === null) {
        lines.push(line);
        yield* flush(true);
      }
      first = number + 1;
      continue;
    }
    if (fence.test(line)) isCode = !isCode;
    const isBlank = line.trim() === "" && !isCode;
    // A longer line fills a part, whatever its exact number of tokens.
    const cost = line.length > 4 * maxTokens ? maxTokens : estimateChunkTokens(line);
    if (isBlank || (lines.length > 0 && tokens + cost > maxTokens)) {
      yield* flush();
      first = isBlank ? number + 1 : number;
    }
    if (isBlank) continue;
    lines.push(line);
    tokens += cost;
  }
  yield* flush();
}

/** Returns the pieces of a line that is longer than a part, divided at spaces or sentences. */
function* pieces(text: string, maxTokens: number): Generator<string> {
  let rest = text;
  while (estimateChunkTokens(rest.slice(0, maxTokens * 4 + 1)) > maxTokens) {
    let end = Math.min(rest.length, maxTokens * 4);
    while (end > 1 && estimateChunkTokens(rest.slice(0, end)) > maxTokens)
      end = Math.floor(end * 0.7);
    const window = rest.slice(0, end);
    const space = Math.max(
      window.lastIndexOf(" "),
      window.lastIndexOf("。") + 1,
      window.lastIndexOf("\n"),
    );
    if (space > end / 2) end = space;
    // Do not split a surrogate pair, which is one character.
    else if (/[\uD800-\uDBFF]/.test(rest.charAt(end - 1))) end += 1;
    yield rest.slice(0, end);
    rest = rest.slice(end).trimStart();
  }
  if (rest !== "") yield rest;
}

function* linesOf(text: string): Generator<string> {
  let from = 0;
  while (from <= text.length) {
    const end = text.indexOf("\n", from);
    if (end === -1) {
      yield text.slice(from);
      return;
    }
    yield text.slice(from, text.charAt(end - 1) === "\r" ? end - 1 : end);
    from = end + 1;
  }
}
