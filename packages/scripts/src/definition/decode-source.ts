/** The text of a source file. Windows PowerShell's own editor writes UTF-16; all else is UTF-8. */
export function decodeSource(bytes: Uint8Array): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? "utf-16le" : "utf-8").decode(bytes);
}
