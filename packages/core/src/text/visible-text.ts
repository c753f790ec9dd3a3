/** A piece of a text for display: visible text, or a mark for characters that are invisible. */
export type VisiblePart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "mark";
      /** The displayed text: `⟨U+202E⟩`. */
      readonly text: string;
      /** The characters that it represents. Empty if it explains the text before it. */
      readonly of: string;
      /** Describes the effect of these characters. */
      readonly meaning: string;
    };

/**
 * Characters that are invisible or that move others: control characters, direction marks,
 * zero-width characters, tags, variation selectors, unusual spaces and lone surrogates. A lone
 * carriage return is included, because it ends a line in Python but in few editors. Characters that
 * join several emoji into one are not included. The last class contains characters that fonts draw
 * as nothing, for example a Braille pattern without dots.
 */
const hidden =
  /\r(?!\n)|(?!(?<=\p{ExtPict})[\uFE0E\uFE0F]|(?<=[\d#*])\uFE0F(?=\u20E3)|(?<=[\p{ExtPict}\p{EMod}]\uFE0F?)\u200D(?=\p{ExtPict}))(?:[^\P{C}\t\n\r\p{Co}\p{Cn}]|[\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}|[\u2800\uFFFC\u{13441}\u{13442}\u{16FE4}\u{1D159}])/u;

/**
 * Also marks the bracket that begins marks, so that text cannot imitate a mark. Also marks
 * combining characters after the sixth on one letter, because they cover the lines around it.
 */
const marked = new RegExp(`\\u27E8|\\p{M}(?<=\\p{M}{7})\\p{M}*|${hidden.source}`, "u");

/** Empty lines and wide gaps within a line, which move the following text out of view. */
const emptyLines = /(?<=\n|^)(?:[ \t]*\r?\n){3,}/;
const emptyLinesAtEnd = /(?<=\n)(?:[ \t]*\r?\n){1,}[ \t]*$/;
const gap = /(?<=\S)[ \t]{40,}(?=\S)/;

/**
 * Matches the host of a URL or an email address, and host names with letters of several alphabets.
 */
const host = /(?<=\/\/(?:[^\s/?#@]*@)?|@)[^\s/?#:@"'`<>()\\]*\P{ASCII}[^\s/?#:@"'`<>()\\]*/u;
const mixedName =
  /(?<![\p{L}\p{N}.-])(?=[\p{L}\p{N}.-]*[a-z])(?=[\p{L}\p{N}.-]*[\p{scx=Cyrl}\p{scx=Grek}\p{scx=Armn}])[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/iu;

const anything = new RegExp(
  [
    `(?<end>${emptyLinesAtEnd.source})`,
    `(?<lines>${emptyLines.source})`,
    `(?<gap>${gap.source})`,
    `(?<host>${host.source}|${mixedName.source})`,
    `(?<hidden>${marked.source})`,
  ].join("|"),
  "giu",
);

/**
 * Splits a text so that nothing in it is hidden from the user who approves it. Invisible characters
 * become a mark with their code point. Empty lines and gaps become a mark with their number. A host
 * with look-alike letters is followed by its ASCII name.
 *
 * Nothing is lost: the `text` of the text parts and the `of` of the marks add up to the original
 * text.
 *
 * @example visibleParts("rm \u202Egpj.x") // "rm ", the mark "⟨U+202E⟩", "gpj.x"
 */
export function visibleParts(text: string): readonly VisiblePart[] {
  const steps = visiblePartsInSteps(text);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Splits a text like `visibleParts`, but in steps, one for each mark. If a text has tens of
 * thousands of marks, one step would block a server's other requests for too long.
 */
export function* visiblePartsInSteps(text: string): Generator<void, readonly VisiblePart[]> {
  const parts: VisiblePart[] = [];
  let from = 0;
  for (const match of text.matchAll(anything)) {
    const { index, groups = {}, 0: found } = match;
    addText(parts, text.slice(from, index));
    from = index + found.length;
    if (groups["hidden"] !== undefined) parts.push(hiddenMark(found));
    else if (groups["host"] !== undefined) addHost(parts, found);
    else if (groups["gap"] !== undefined)
      parts.push(mark(`${found.length} spaces`, found, "a gap that moves text out of view"));
    else {
      const isAtEnd = groups["end"] !== undefined;
      const of = isAtEnd ? found : found.slice(0, -1);
      parts.push(mark(`${count(found)}${isAtEnd ? " at the end" : ""}`, of, "lines without text"));
      if (!isAtEnd) addText(parts, "\n");
    }
    yield;
  }
  addText(parts, text.slice(from));
  return parts;
}

/**
 * Splits a name, a title or a reason like `visibleParts`. Line breaks and tabs become marks too.
 *
 * @example visibleLine("one\ntwo") // "one", the mark "⟨U+000A⟩", "two"
 */
export function visibleLine(text: string): readonly VisiblePart[] {
  return partsOfLine(visibleParts(text));
}

/** Converts the parts of a text to the parts of a line: line breaks and tabs become marks. */
export function partsOfLine(parts: readonly VisiblePart[]): readonly VisiblePart[] {
  return parts.flatMap((part): readonly VisiblePart[] =>
    part.type === "mark"
      ? [part]
      : splitBy(part.text, /([\n\t\r])/u, (found) =>
          mark(codePoint(found), found, found === "\t" ? "a tab" : "a line break"),
        ),
  );
}

/**
 * Returns the parts as one text.
 *
 * @example visibleText("a\u202Eb") // "a⟨U+202E⟩b"
 */
export function visibleText(text: string): string {
  return visibleParts(text)
    .map((part) => part.text)
    .join("");
}

/** Letters and digits of right-to-left scripts, with their marks. */
const rightToLeft =
  /([\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}][\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}\p{M}]*)/u;
const notProse = /[A-Za-z0-9;|&<>$`\\/={}[\]*#~^%@+]/;

/**
 * Splits a text at its right-to-left words. Without isolation such words swap places with the text
 * between them, without any control character: a screen shows `mv א ב` with the two names
 * exchanged. Lines that contain only prose are not split.
 *
 * @returns pieces that add up to the text; every second piece is a word to isolate, as `<bdi>` does
 * @example directionPieces("mv א ב") // ["mv ", "א", " ", "ב", ""]
 */
export function directionPieces(text: string): readonly string[] {
  if (!hasRightToLeft(text)) return [text];
  const pieces = [""];
  for (const line of text.split(/(?<=\n)/)) {
    const [first = "", ...more] = notProse.test(line) ? line.split(rightToLeft) : [line];
    pieces[pieces.length - 1] += first;
    pieces.push(...more);
  }
  return pieces;
}

/** Returns whether a text has right-to-left words. */
export function hasRightToLeft(text: string): boolean {
  return rightToLeft.test(text);
}

/** A variable that a call reads, in the form that an approval request shows. */
export interface ShownVariable {
  readonly name: string;
  /** The content, or its beginning. */
  readonly text: string;
  /** Characters of the whole content. */
  readonly length: number;
  /** The SHA-256 of the whole value. The approval covers it. Absent in requests of old versions. */
  readonly digest?: string;
}

/** The effect of a call, in the form that an approval request shows. */
export interface ShownPreview {
  /** The text, or its beginning. */
  readonly text: string;
  /** Characters of the whole text. */
  readonly length: number;
  /** The SHA-256 of the whole text. */
  readonly digest: string;
}

/** The texts that a request shows in addition to the arguments. */
export interface ShownTexts {
  readonly variables?: readonly ShownVariable[] | undefined;
  readonly preview?: ShownPreview | undefined;
}

/**
 * Returns the number of characters that an approval covers and its request does not contain. A user
 * must have seen them before a client allows the call.
 */
export function unseenChars({ variables = [], preview }: ShownTexts): number {
  const all = preview === undefined ? variables : [...variables, preview];
  return all.reduce((sum, { text, length }) => sum + Math.max(0, length - text.length), 0);
}

/** An argument for display. */
export interface VisibleArgument {
  readonly name: readonly VisiblePart[];
  readonly value: readonly VisiblePart[];
  /** Whether the value is the effect of the call, in which `+` and `-` begin changed lines. */
  readonly isEffect?: true;
}

/**
 * Returns the effect and the arguments of a call for display: texts unchanged, other values as
 * indented JSON. The variables that the call reads follow.
 */
export function visibleArguments(
  args: { readonly [name: string]: unknown },
  shown: ShownTexts = {},
): readonly VisibleArgument[] {
  return shownTexts(args, shown).map(([name, value], index) => ({
    name: visibleLine(name),
    value: visibleParts(value),
    ...(shown.preview !== undefined && index === 0 && { isEffect: true as const }),
  }));
}

/**
 * Returns the parts of an approval request in the order of display, each with a name and a text:
 * the effect of the call, its arguments, and the variables that it reads. The names of variables
 * include the size.
 */
export function shownTexts(
  args: { readonly [name: string]: unknown },
  { variables = [], preview }: ShownTexts,
): readonly (readonly [name: string, text: string])[] {
  return [
    ...(preview === undefined ? [] : [effectText(preview)]),
    ...Object.entries(args).map(([name, value]) => [name, argumentText(value)] as const),
    ...variables.map((variable) => sized(`variable ${variable.name}`, variable)),
  ];
}

function effectText(preview: ShownPreview): readonly [name: string, text: string] {
  return preview.text.length < preview.length ? sized("effect", preview) : ["effect", preview.text];
}

function sized(
  name: string,
  { text, length, digest }: Pick<ShownVariable, "text" | "length" | "digest">,
): readonly [name: string, text: string] {
  const left = length - text.length;
  if (left <= 0) return [`${name} (${length} characters)`, text];
  const covered = digest === undefined ? "" : `, SHA-256 ${digest.slice(0, 16)}`;
  const size = `first ${text.length} of ${length} characters; ${left} are not shown${covered}`;
  return [`${name} (${size})`, text];
}

/** Returns an argument for display: a text unchanged, another value as indented JSON. */
export function argumentText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/**
 * Returns the part of a collapsed text that is shown.
 *
 * @returns the parts within the limits, and the number of omitted characters
 */
export function firstParts(
  parts: readonly VisiblePart[],
  limits: { readonly lines: number; readonly characters: number },
): { readonly parts: readonly VisiblePart[]; readonly left: number } {
  const first: VisiblePart[] = [];
  let left = 0;
  let { lines, characters } = limits;
  for (const part of parts) {
    let { text } = part;
    if (left === 0 && part.type === "text") {
      text = text.split("\n", lines).join("\n").slice(0, characters);
      if (text.length < part.text.length) text = text.replace(/[\uD800-\uDBFF]$/u, "");
    }
    const fits = left === 0 && (part.type === "text" || text.length <= characters);
    if (!fits) {
      left += part.text.length;
      continue;
    }
    addPart(first, part.type === "text" ? { type: "text", text } : part);
    left += part.text.length - text.length;
    characters -= text.length;
    lines -= text.split("\n").length - 1;
  }
  return { parts: first, left };
}

/**
 * Returns a value as JSON for editing, with invisible characters escaped.
 *
 * @param indent spaces; 0 for one line
 * @example visibleJson({ path: "a\u202Eb" }) // with \\u202e in its place
 */
export function visibleJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replaceAll(new RegExp(hidden, "gu"), (found) =>
    Array.from(
      { length: found.length },
      (_, index) => String.raw`\u${found.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** Returns the hidden code points of a text, each once, in the order of their occurrence. */
export function hiddenCodePoints(text: string): readonly string[] {
  return [...new Set((text.match(new RegExp(hidden, "gu")) ?? []).map(codePoint))];
}

function addPart(parts: VisiblePart[], part: VisiblePart): void {
  const last = parts.at(-1);
  if (part.type === "text" && last?.type === "text")
    parts[parts.length - 1] = { type: "text", text: last.text + part.text };
  else if (part.type === "mark" || part.text !== "") parts.push(part);
}

function addText(parts: VisiblePart[], text: string): void {
  addPart(parts, { type: "text", text });
}

function mark(shown: string, of: string, meaning: string): VisiblePart {
  return { type: "mark", text: `⟨${shown}⟩`, of, meaning };
}

function hiddenMark(character: string): VisiblePart {
  const { length } = Array.from(character);
  if (length > 1) return mark(`${length} characters`, character, "stacked combining characters");
  const [, meaning] = meanings.find(([pattern]) => pattern.test(character)) ?? [];
  return mark(codePoint(character), character, meaning ?? "an invisible character");
}

const meanings: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u, "changes the direction of the text"],
  [/[\u{E0000}-\u{E007F}]/u, "an invisible tag character"],
  [/\u27E8/u, "a bracket in the text itself, not a mark"],
  [/[\r\p{Zl}\p{Zp}]/u, "a line break that few programs display"],
  [/\p{Zs}/u, "an unusual space character"],
  [/\p{Cc}/u, "a control character"],
  [/\p{Cs}/u, "half of a character"],
];

function codePoint(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `U+${number.toString(16).toUpperCase().padStart(4, "0")}`;
}

function count(lines: string): string {
  const number = lines.split("\n").length - 1;
  return number === 1 ? "1 empty line" : `${number} empty lines`;
}

const markedInName = new RegExp(`(${marked.source})`, "u");

function addHost(parts: VisiblePart[], name: string): void {
  for (const part of splitBy(name, markedInName, hiddenMark)) addPart(parts, part);
  const ascii = asciiName(name);
  if (ascii !== name) parts.push(mark(ascii, "", "the ASCII name of this host"));
}

/**
 * @param pattern with one group, which contains the whole match
 */
function splitBy(
  text: string,
  pattern: RegExp,
  markOf: (found: string) => VisiblePart,
): readonly VisiblePart[] {
  return text
    .split(pattern)
    .map((part, index): VisiblePart =>
      index % 2 === 0 ? { type: "text", text: part } : markOf(part),
    )
    .filter((part) => part.text !== "");
}

/** Returns the host's ASCII name, or the code points of the letters if it cannot be a host name. */
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
