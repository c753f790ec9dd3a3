/** Whole results below this many characters need no handle in the text. */
const quietBelow = 500;
/** What one `ReadVar` reads on with. */
const page = 8_000;

export interface HintOptions {
  /** The variable that holds the whole. */
  readonly name: string | undefined;
  readonly shown: number;
  readonly total: number;
  readonly omittedFrom: number;
  readonly omitted: number;
}

/** Stage 12. What the model reads after a result: its handle, and how to read what was left out. */
export function resultHint({ name, shown, total, omittedFrom, omitted }: HintOptions): string {
  if (omitted > 0) {
    const cut = `Cut: ${omitted.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} characters left out.`;
    if (name === undefined) return `\n\n[${cut} The whole was not kept.]`;
    const next = JSON.stringify({ name, start: omittedFrom, length: Math.min(omitted, page) });
    return `\n\n[${cut} Read on: ReadVar(${next}). Pass the whole to a tool: $VAR_REF{{${name}}}]`;
  }
  return name !== undefined && shown > quietBelow ? `\n\n[Kept as ${name}]` : "";
}
