/** A piece of a text as people see it: what is written, or a mark of what would not be seen. */
export interface VisiblePart {
  readonly type: "text" | "mark";
  readonly text: string;
}

/**
 * What is not seen, or moves what is: control characters, marks of writing direction, of no width,
 * tags, variants, spaces that only look like one, halves of a character, and a carriage return
 * alone, which ends a line for Python and in few editors. Not what makes one sign of several emoji.
 */
const hidden =
  /\r(?!\n)|(?!(?<=\p{Emoji})[\uFE0E\uFE0F]|(?<=\p{Emoji}\uFE0F?)\u200D(?=\p{Emoji}))(?:[^\P{C}\t\n\r\p{Co}\p{Cn}]|[\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs})/u;

/** Lines with nothing in them, and gaps in a line, that push what follows out of sight. */
const emptyLines = /(?<=\n|^)(?:[ \t]*\r?\n){3,}/;
const emptyLinesAtEnd = /(?<=\n)(?:[ \t]*\r?\n){1,}[ \t]*$/;
const gap = /(?<=\S)[ \t]{40,}(?=\S)/;

/** The host of an address, and a name of a host whose letters are of several alphabets. */
const host = /(?<=\/\/(?:[^\s/?#@]*@)?|@)[^\s/?#:@"'`<>()\\]*\P{ASCII}[^\s/?#:@"'`<>()\\]*/u;
const mixedName =
  /(?<![\p{L}\p{N}.-])(?=[\p{L}\p{N}.-]*[a-z])(?=[\p{L}\p{N}.-]*[\p{scx=Cyrl}\p{scx=Grek}\p{scx=Armn}])[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/iu;

const anything = new RegExp(
  [
    `(?<end>${emptyLinesAtEnd.source})`,
    `(?<lines>${emptyLines.source})`,
    `(?<gap>${gap.source})`,
    `(?<host>${host.source}|${mixedName.source})`,
    `(?<hidden>${hidden.source})`,
  ].join("|"),
  "giu",
);

/**
 * Splits a text so that nothing in it is hidden from who approves it. What cannot be seen becomes a
 * mark with its code point, empty lines and gaps become one with their number, and behind a host
 * whose letters may pass for others stands the name that it is looked up by.
 *
 * The marks of a text that holds such marks itself look the same; only their type tells them apart.
 *
 * @example visibleParts("rm \u202Egpj.x") // "rm ", the mark "⟨U+202E⟩", "gpj.x"
 */
export function visibleParts(text: string): readonly VisiblePart[] {
  const parts: VisiblePart[] = [];
  const add = (type: VisiblePart["type"], part: string): void => {
    const last = parts.at(-1);
    if (part === "") return;
    if (type === "text" && last?.type === "text")
      parts[parts.length - 1] = { type, text: last.text + part };
    else parts.push({ type, text: part });
  };
  let from = 0;
  for (const match of text.matchAll(anything)) {
    const { index, groups = {}, 0: found } = match;
    add("text", text.slice(from, index));
    from = index + found.length;
    if (groups["hidden"] !== undefined) add("mark", `⟨${codePoint(found)}⟩`);
    else if (groups["host"] !== undefined) addHost(add, found);
    else if (groups["gap"] !== undefined) add("mark", `⟨${found.length} spaces⟩`);
    else {
      add("mark", `⟨${count(found)}${groups["end"] === undefined ? "" : " at the end"}⟩`);
      if (groups["end"] === undefined) add("text", "\n");
    }
  }
  add("text", text.slice(from));
  return parts;
}

/**
 * The same as one text.
 *
 * @example visibleText("a\u202Eb") // "a⟨U+202E⟩b"
 */
export function visibleText(text: string): string {
  return visibleParts(text)
    .map((part) => part.text)
    .join("");
}

/** The code points of a text that are hidden, each once, in the order they come in. */
export function hiddenCodePoints(text: string): readonly string[] {
  return [...new Set((text.match(new RegExp(hidden, "gu")) ?? []).map(codePoint))];
}

function codePoint(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `U+${number.toString(16).toUpperCase().padStart(4, "0")}`;
}

function count(lines: string): string {
  const number = lines.split("\n").length - 1;
  return number === 1 ? "1 empty line" : `${number} empty lines`;
}

function addHost(add: (type: VisiblePart["type"], part: string) => void, name: string): void {
  for (const part of visibleHidden(name)) add(part.type, part.text);
  const ascii = asciiName(name);
  if (ascii !== name) add("mark", `⟨${ascii}⟩`);
}

function visibleHidden(name: string): readonly VisiblePart[] {
  return name
    .split(new RegExp(`(${hidden.source})`, "gu"))
    .map((part, index) =>
      index % 2 === 0
        ? { type: "text", text: part }
        : { type: "mark", text: `⟨${codePoint(part)}⟩` },
    );
}

/** As it is looked up; the code points of the letters where no host can have that name. */
function asciiName(name: string): string {
  try {
    return new URL(`http://${name}/`).hostname;
  } catch {
    return Array.from(name)
      .filter((character) => character > "\u007F")
      .map(codePoint)
      .join(" ");
  }
}
