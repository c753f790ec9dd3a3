/**
 * Whether a text fits a pattern in which `*` is any text, none included. Each piece between stars
 * is looked for once, from left to right, so that no text and no pattern makes it slow.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return text === pattern;
  if (text.length < head.length + tail.length) return false;
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let at = head.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/**
 * Whether a path fits a pattern: `*` stays within a name, `**` is any number of whole names, none
 * included. Both are compared in plain form, so that `./a//b/../c` is `a/c`.
 *
 * @example fitsPath("secrets/**", "./secrets/keys/id_rsa") // true
 */
export function fitsPath(pattern: string, path: string): boolean {
  const wanted = plainNames(pattern);
  const names = plainNames(path);
  if (names.length > mostNames) return false;
  // The last `**` met, and how many names it has swallowed so far.
  let star = -1;
  let swallowed = 0;
  let at = 0;
  for (let name = 0; name < names.length;) {
    const next = wanted[at];
    if (next === "**") {
      star = at++;
      swallowed = name;
    } else if (next !== undefined && fitsGlob(next, names[name] ?? "")) {
      at++;
      name++;
    } else if (star >= 0) {
      at = star + 1;
      name = ++swallowed;
    } else return false;
  }
  return wanted.slice(at).every((rest) => rest === "**");
}

/** More than any file system takes in a path. */
const mostNames = 4_096;

/** The names of a path, an absolute one with an empty first. `..` takes the name before it away; above all it stays. */
function plainNames(path: string): readonly string[] {
  const slashed = path.replaceAll("\\", "/");
  const isAbsolute = slashed.startsWith("/");
  const names: string[] = [];
  for (const name of slashed.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.length > 0 && names.at(-1) !== "..") names.pop();
    else if (!isAbsolute) names.push(name);
  }
  return isAbsolute ? ["", ...names] : names;
}
