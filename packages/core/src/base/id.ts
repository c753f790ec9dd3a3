const alphabet = "0123456789abcdefghijklmnopqrstuv";

/** Random bytes in stock: asking for each id's own costs ten times as much. */
const stock = new Uint8Array(4096);
let used = stock.length;

/** An unguessable id: the prefix and 25 characters, 125 bits. Works where there is no secure context. */
export function newId(prefix: string): string {
  if (used + 25 > stock.length) {
    crypto.getRandomValues(stock);
    used = 0;
  }
  let id = prefix;
  for (const end = used + 25; used < end; used++) id += alphabet[(stock[used] ?? 0) % 32];
  return id;
}

/** Whether a text is 1 to `most` ASCII letters, digits, `_` and `-`: what every provider takes as a name or an id. */
export function isPlainName(text: string, most = 64): boolean {
  return text.length <= most && /^[\w-]+$/.test(text);
}
