import { minNamedChars } from "../../variables/long-messages.ts";
import { thousands, type Truncated } from "../../text/truncate.ts";

/** What one `ReadVar` reads on with. */
const page = 8_000;

export interface ResultHintOptions {
  /** The variable that holds the whole. */
  readonly name: string | undefined;
  /** The whole text. */
  readonly whole: string;
  readonly cut: Truncated;
}

/**
 * Stage 12. What the model reads after a result: its handle, and how to read what was left out,
 * from where to where. With what is shown, that is exactly the whole.
 */
export function resultHint({ name, whole, cut }: ResultHintOptions): string {
  const { omitted, rest } = cut;
  if (omitted === 0)
    return name !== undefined && cut.text.length >= minNamedChars ? `\n\n[Kept as ${name}]` : "";
  const end = rest.start + rest.length;
  const said =
    rest.length === omitted
      ? `Cut: ${thousands(omitted)} of ${thousands(whole.length)} characters left out, from ${rest.start} to ${end}.`
      : `Cut by the tool itself; the whole has ${thousands(whole.length)} characters.`;
  if (name === undefined) return `\n\n[${said} The whole was not kept.]`;
  const next = JSON.stringify({ name, start: rest.start, length: Math.min(rest.length, page) });
  return `\n\n[${said} Read on: ReadVar(${next}). Pass the whole to a tool: $VAR_REF{{${name}}}]`;
}
