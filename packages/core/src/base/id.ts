const alphabet = "0123456789abcdefghijklmnopqrstuv";

/** An unguessable id: the prefix and 25 characters, 125 bits. Works where there is no secure context. */
export function newId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(25));
  return prefix + Array.from(bytes, (byte) => alphabet[byte % 32]).join("");
}

/** Whether a text is 1 to `most` ASCII letters, digits, `_` and `-`: what every provider takes as a name or an id. */
export function isPlainName(text: string, most = 64): boolean {
  return text.length <= most && /^[\w-]+$/.test(text);
}
