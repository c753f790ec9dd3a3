/** Unchanged lines around a change. */
const around = 3;
/**
 * The maximum number of changed lines that are compared one by one. The time grows with its square.
 */
const mostEdits = 2_000;

/**
 * Returns the changes of a text as hunks of a unified diff, or `undefined` if there are none. The
 * same texts always give the same hunks. If very many lines changed, one hunk shows all lines
 * between the first and the last change.
 */
export async function diffText(before: string, after: string): Promise<string | undefined> {
  return before === after ? undefined : diffPart(changedPart(before, after));
}

/** Returns the changes between two different texts as hunks of a unified diff. */
export async function diffPart({ first, was, is }: ChangedPart): Promise<string> {
  const { createTwoFilesPatch } = await import("diff");
  const options = { context: around, maxEditLength: mostEdits };
  const patch = createTwoFilesPatch("a", "a", was, is, "", "", options);
  if (patch === undefined) return oneHunk(first, was.split("\n"), is.split("\n"));
  // Omit the header, which has the same name twice.
  const hunks = patch.slice(patch.indexOf("\n@@") + 1).replace(/\n$/, "");
  return first === 0 ? hunks : hunks.replaceAll(hunkHeader, moveHunk);

  function moveHunk(_header: string, from: string, size: string, to: string): string {
    return `@@ -${Number(from) + first}${size} +${Number(to) + first}`;
  }
}

/** Returns the number of lines from the first to the last change, in both texts. */
export function changedLines({ was, is }: ChangedPart): number {
  return linesIn(was) + linesIn(is);
}

function linesIn(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

const hunkHeader = /^@@ -(\d+)((?:,\d+)?) \+(\d+)/gm;

/** The lines between the first and the last change, with unchanged lines around them. */
export interface ChangedPart {
  /** The number of lines before the part. */
  readonly first: number;
  readonly was: string;
  readonly is: string;
}

/**
 * Returns the part of two different texts that a diff needs. Comparing all lines of a large text
 * takes ten times as long.
 */
export function changedPart(before: string, after: string): ChangedPart {
  const most = Math.min(before.length, after.length);
  const same = sameLength(most, (from, to) => before.slice(from, to) === after.slice(from, to));
  const tail = sameLength(
    most - same,
    (from, to) => fromEnd(before, from, to) === fromEnd(after, from, to),
  );
  let start = same;
  for (let line = 0; line <= around && start > 0; line++)
    start = before.lastIndexOf("\n", start - (line === 0 ? 1 : 2)) + 1;
  let end = before.length - tail;
  for (let line = 0; line <= around && end < before.length; line++)
    end = before.indexOf("\n", end) + 1 || before.length;
  let first = 0;
  for (let at = before.indexOf("\n"); at >= 0 && at < start; at = before.indexOf("\n", at + 1))
    first++;
  const is = after.slice(start, after.length - (before.length - end));
  return { first, was: before.slice(start, end), is };
}

/**
 * Returns the number of characters that two texts have in common. Compares pieces, because
 * comparing each character takes ten times as long.
 *
 * @param isSame whether the characters of a range are the same
 */
function sameLength(most: number, isSame: (from: number, to: number) => boolean): number {
  let length = 0;
  for (let size = 65_536; size >= 1; size = Math.floor(size / 16))
    while (length + size <= most && isSame(length, length + size)) length += size;
  return length;
}

function fromEnd(text: string, from: number, to: number): string {
  return text.slice(text.length - to, text.length - from);
}

function oneHunk(first: number, before: readonly string[], after: readonly string[]): string {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [removed, added] = [before, after].map((lines) => lines.slice(start, lines.length - end));
  return [
    `@@ -${first + start + 1},${removed?.length} +${first + start + 1},${added?.length} @@`,
    ...(removed ?? []).map((line) => `-${line}`),
    ...(added ?? []).map((line) => `+${line}`),
  ].join("\n");
}
