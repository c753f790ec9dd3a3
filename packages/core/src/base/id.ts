const alphabet = "0123456789abcdefghijklmnopqrstuv";

/** Random bytes for several ids: to request bytes for each id takes ten times as long. */
const randomBytes = new Uint8Array(4096);
let used = randomBytes.length;

/**
 * Returns an unguessable id: the prefix and 25 characters, 125 bits. Works outside secure contexts.
 */
export function newId(prefix: string): string {
  if (used + 25 > randomBytes.length) {
    crypto.getRandomValues(randomBytes);
    used = 0;
  }
  let id = prefix;
  for (const end = used + 25; used < end; used++) id += alphabet[(randomBytes[used] ?? 0) % 32];
  return id;
}

/**
 * Returns whether a text is 1 to `most` ASCII letters, digits, `_` and `-`: every provider accepts
 * it as a name or an id.
 */
export function isPlainName(text: string, most = 64): boolean {
  return text.length <= most && /^[\w-]+$/.test(text);
}
