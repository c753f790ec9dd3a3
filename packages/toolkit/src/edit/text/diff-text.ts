/** Unchanged lines around a change. */
const around = 3;
/** The most changed lines that are compared one by one: the time grows with their square. */
const mostEdits = 2_000;

/**
 * Returns the changes of a text as hunks of a unified diff, or `undefined` if there are none. The
 * same texts always give the same hunks. If very many lines changed, one hunk shows all lines
 * between the first and the last change.
 */
export async function diffText(before: string, after: string): Promise<string | undefined> {
  if (before === after) return undefined;
  const { createTwoFilesPatch } = await import("diff");
  const options = { context: around, maxEditLength: mostEdits };
  const patch = createTwoFilesPatch("a", "a", before, after, "", "", options);
  if (patch === undefined) return oneHunk(before.split("\n"), after.split("\n"));
  // Without the header, which has the same name twice.
  return patch.slice(patch.indexOf("\n@@") + 1).replace(/\n$/, "");
}

function oneHunk(before: readonly string[], after: readonly string[]): string {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [removed, added] = [before, after].map((lines) => lines.slice(start, lines.length - end));
  return [
    `@@ -${start + 1},${removed?.length} +${start + 1},${added?.length} @@`,
    ...(removed ?? []).map((line) => `-${line}`),
    ...(added ?? []).map((line) => `+${line}`),
  ].join("\n");
}
