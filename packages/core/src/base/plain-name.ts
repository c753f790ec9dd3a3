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
