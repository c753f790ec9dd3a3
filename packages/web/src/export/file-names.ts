/**
 * Characters that some systems do not allow in file names, or that change the display of a name.
 */
// oxlint-disable-next-line no-control-regex -- the pattern removes control characters
const unsafe = /[\u0000-\u001f\u007f<>:"/\\|?*\u200b-\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** The maximum UTF-16 code units of a name without its extension. */
const maxLength = 80;

/** Converts a text to a file name without extension that every system accepts. */
export function safeName(text: string, otherwise: string): string {
  const name = text
    .replaceAll(unsafe, " ")
    .replaceAll(/\s+/g, " ")
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/^[ .]+/, "")
    .replace(/[ .]+$/, "");
  return name === "" ? otherwise : name;
}

/** Creates a function that returns a safe name which it has not returned before. */
export function createUniqueNames(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    const ending = /\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? "";
    const start = safeName(name.slice(0, name.length - ending.length), "file");
    let unique = `${start}${ending}`;
    for (let n = 2; taken.has(unique.toLowerCase()); n += 1) unique = `${start} (${n})${ending}`;
    taken.add(unique.toLowerCase());
    return unique;
  };
}
