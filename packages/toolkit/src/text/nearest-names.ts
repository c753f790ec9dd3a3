/**
 * The names most like `wanted`, best first; empty where nothing is near. Case does not count.
 *
 * @param count how many at most. @default 3
 * @example nearestNames("Raed", ["ReadVar", "Read"]) // ["Read", "ReadVar"]
 */
export function nearestNames(
  wanted: string,
  names: Iterable<string>,
  count: number = 3,
): readonly string[] {
  const target = wanted.toLowerCase().slice(0, 100);
  const near: { readonly name: string; readonly distance: number }[] = [];
  for (const name of names) {
    const distance = distanceOf(target, name.toLowerCase().slice(0, 100));
    if (distance <= 0.5) near.push({ name, distance });
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return near.slice(0, count).map(({ name }) => name);
}

/** ` Did you mean "a" or "b"?`, or nothing. */
export function didYouMean(names: readonly string[]): string {
  if (names.length === 0) return "";
  return ` Did you mean ${names.map((name) => `"${name}"`).join(" or ")}?`;
}

/** 0 (the same) to 1 (nothing in common). One inside the other is near. */
function distanceOf(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  const longer = Math.max(a.length, b.length);
  if (shorter >= 3 && (a.includes(b) || b.includes(a))) return 0.3 * (1 - shorter / longer);
  // The difference in length is a floor of the distance: most names need no table.
  if ((longer - shorter) / longer > 0.5) return 1;
  return edits(a, b) / longer;
}

/** Levenshtein's distance, where swapping two neighbours is one edit. */
function edits(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        at(previous, j) + 1,
        at(current, j - 1) + 1,
        at(previous, j - 1) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(beforePrevious, j - 2) + 1);
      }
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
