const alphabet = new TextEncoder().encode("0123456789abcdefghijklmnopqrstuvwxyz");
const idLength = 25;

/** Random bytes in stock: asking for each id's own costs ten times as much. */
const stock = new Uint8Array(4096);
let used = stock.length;

/** An unguessable id: the prefix and 25 characters, 129 bits. Works where there is no secure context. */
export function newId(prefix: string): string {
  // A text that grew letter by letter would be kept as a tree of its parts.
  const letters: number[] = [];
  while (letters.length < idLength) {
    if (used === stock.length) {
      crypto.getRandomValues(stock);
      used = 0;
    }
    const byte = stock[used++] as number;
    // 252 is the largest multiple of 36 in a byte: what lies above would favour some characters.
    if (byte < 252) letters.push(alphabet[byte % 36] as number);
  }
  return prefix + String.fromCharCode(...letters);
}

/**
 * Whether a text is 1 to `most` ASCII letters, digits, `_` and `-`: what every provider takes as a
 * name or an id. Asked several times a call, so no regular expression, which costs more.
 */
export function isPlainName(text: string, most = 64): boolean {
  if (text.length === 0 || text.length > most) return false;
  for (let at = 0; at < text.length; at++) if (!isPlain(text.charCodeAt(at))) return false;
  return true;
}

function isPlain(code: number): boolean {
  // In lower case, which makes no letter of what is none.
  const lower = code | 0x20;
  return (
    (lower >= 0x61 && lower <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d
  );
}
