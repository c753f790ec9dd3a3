const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

/** An unguessable id: the prefix and 25 characters, 129 bits. Works where there is no secure context. */
export function newId(prefix: string): string {
  let id = prefix;
  // 252 is the largest multiple of 36 in a byte: what lies above would favour some characters.
  for (let missing = 25; missing > 0;) {
    for (const byte of crypto.getRandomValues(new Uint8Array(missing + 4))) {
      if (byte >= 252 || missing === 0) continue;
      id += alphabet[byte % 36];
      missing--;
    }
  }
  return id;
}
