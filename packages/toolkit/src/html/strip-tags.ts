const dropped = ["script", "style", "noscript", "template", "svg"];

/**
 * Returns a page's text without markup, in one linear pass. The fallback for pages that are too
 * large or too complex.
 */
export function stripTags(html: string): string {
  const lower = html.toLowerCase();
  const pieces: string[] = [];
  for (let from = 0; from < html.length;) {
    const open = html.indexOf("<", from);
    if (open < 0) {
      pieces.push(html.slice(from));
      break;
    }
    pieces.push(html.slice(from, open));
    const [opener, closer] = lower.startsWith("<!--", open) ? [4, "-->"] : [1, ">"];
    const close = html.indexOf(closer, open + opener);
    if (close < 0) break;
    const name = /^<([a-z]+)/.exec(lower.slice(open, open + 20))?.[1] ?? "";
    from = close + closer.length;
    if (dropped.includes(name)) {
      const end = lower.indexOf(`</${name}`, from);
      if (end < 0) break;
      from = end;
    } else if (
      /^<\/?(?:p|div|li|tr|h[1-6]|br|section|article|ul|ol|table)\b/.test(
        lower.slice(open, open + 12),
      )
    ) {
      pieces.push("\n");
    }
  }
  return decodeEntities(pieces.join(""))
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/ ?\n[ \n]*/g, "\n")
    .trim();
}

const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
]);

/** Replaces character references of HTML. */
export function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi,
    (written: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities.get(name.toLowerCase()) ?? written;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : written;
    },
  );
}
