/** Nested groups beyond this depth are not measured. */
const deepestGroup = 200;

/**
 * Returns an upper bound of the number of instructions that an engine without backtracking needs for
 * a pattern. A repetition count copies its part: `(ab){500}` needs 1,000 instructions.
 *
 * @returns Infinity if the groups of the pattern are nested too deeply
 */
export function patternSize(source: string): number {
  let at = 0;

  function alternatives(depth: number): number {
    let size = 0;
    while (at < source.length) {
      if (source[at] === ")") {
        if (depth > 0) return size;
        at += 1;
      } else if (source[at] === "|") {
        at += 1;
        size += 1;
      } else size += repeated(atom(depth));
    }
    return size;
  }

  function atom(depth: number): number {
    const char = source[at++];
    if (char === "\\") return escape();
    if (char === "[") return skipClass();
    if (char !== "(") return 1;
    if (depth > deepestGroup) {
      at = source.length;
      return Infinity;
    }
    const inner = alternatives(depth + 1);
    at += 1;
    return inner + 2;
  }

  function escape(): number {
    const char = source[at++];
    if (char === "Q") {
      const end = source.indexOf("\\E", at);
      const size = (end === -1 ? source.length : end) - at;
      at = end === -1 ? source.length : end + 2;
      return size;
    }
    if (/[xupP]/.test(char ?? "") && source[at] === "{")
      at += Math.max(0, source.slice(at).indexOf("}") + 1);
    return 1;
  }

  function skipClass(): number {
    while (at < source.length && source[at] !== "]") at += source[at] === "\\" ? 2 : 1;
    at += 1;
    return 1;
  }

  function repeated(size: number): number {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(source.slice(at, at + 24));
    if (found === null) return size;
    at += found[0].length;
    const [, low, comma, high] = found;
    const copies = low === undefined ? 1 : Math.max(Number(low) + (comma ? 1 : 0), Number(high));
    return repeated(size * copies + (comma === "" ? 0 : copies));
  }

  return alternatives(0);
}
