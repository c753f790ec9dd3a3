/** Text on one line, of at most about `max` characters: a line of a log must not become two. */
export function oneLine(text: string, max: number): string {
  // Spaces may fold, but not so many that a text of megabytes is worth reading for one line.
  // Mostly there is nothing to fold.
  if (text.length <= max && plain.test(text)) return text;
  const start = text.length > 8 * max ? text.slice(0, 8 * max) : text;
  const line = start.replaceAll(/[\s\u0085]+/g, " ").trim();
  if (line.length <= max && start.length === text.length) return line;
  return `${line.slice(0, max).toWellFormed()}…`;
}

/** Words with single spaces between them. */
const plain = /^[^\s\u0085]+(?: [^\s\u0085]+)*$/;
