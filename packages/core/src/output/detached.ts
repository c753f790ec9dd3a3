/**
 * The same text in memory of its own. An engine keeps a piece of a text as a view on the whole, so
 * that 200 characters of a result would hold all of its megabytes.
 */
export function detached(text: string): string {
  // Joined and cut, it has to be written out anew.
  return ` ${text}`.slice(1);
}
