import type { EncodedChanges, EncodedValue } from "./encode-changes.ts";
import type { EncodedEvents } from "./encode-events.ts";
import type { EncodedJournal, EncodedWrite } from "./encoded-journal.ts";

/**
 * A write as one text, as a thread is handed one long text in a fraction of the time that many
 * take, or objects. In a journal's first line is what the writer decides by, in the others, one
 * each, what is stored as it is: JSON has no line breaks. Texts that are no JSON are beside it.
 */
export type PackedWrite = string | readonly [packed: string, ...large: string[]];

/** A journal's first line: the lines are taken out, in the order of the fields. */
interface Head extends Omit<
  EncodedJournal,
  "events" | "messages" | "calls" | "changes" | "result"
> {
  readonly count: number;
  readonly deltas: number;
  readonly rows: readonly (readonly [last: number, cuts: string | null])[];
  readonly loose: EncodedEvents["loose"];
  /** How the values of changes are given: in their entries, in a line, or as a text beside, with its data or without. */
  readonly values: readonly ("entry" | "line" | "text" | "text and data")[];
  readonly hasMessages: boolean;
  readonly hasCalls: boolean;
  readonly hasResult: boolean;
}

export function packWrite(write: EncodedWrite): PackedWrite {
  return write.type === "journal" ? packJournal(write) : JSON.stringify(write);
}

export function unpackWrite(packed: PackedWrite): EncodedWrite {
  const [text, ...large] = typeof packed === "string" ? [packed] : packed;
  const lines = text.split("\n");
  const head = JSON.parse(lines[0] ?? "") as Head | Exclude<EncodedWrite, EncodedJournal>;
  return head.type === "journal" ? unpackJournal(head, lines, large) : head;
}

function packJournal(journal: EncodedJournal): PackedWrite {
  const { events, messages, calls, changes, result, ...rest } = journal;
  const lines: string[] = [""];
  const large: string[] = [];
  const rows = events.rows.map(({ last, cuts, events: text }) => {
    lines.push(text);
    return [last, cuts] as const;
  });
  if (messages !== undefined) lines.push(messages);
  if (calls !== undefined) lines.push(calls);
  const values = changes.map(({ entries, value }) => {
    lines.push(entries);
    if (value === undefined) return "entry";
    if (typeof value === "string") {
      lines.push(value);
      return "line";
    }
    large.push(value.text);
    if (value.data === undefined) return "text";
    lines.push(value.data);
    return "text and data";
  });
  if (result !== undefined) lines.push(result);
  const { count, deltas, loose } = events;
  const head: Head = {
    ...rest,
    count,
    deltas,
    rows,
    loose,
    values,
    hasMessages: messages !== undefined,
    hasCalls: calls !== undefined,
    hasResult: result !== undefined,
  };
  lines[0] = JSON.stringify(head);
  const packed = lines.join("\n");
  return large.length === 0 ? packed : [packed, ...large];
}

function unpackJournal(
  head: Head,
  lines: readonly string[],
  large: readonly string[],
): EncodedJournal {
  let next = 1;
  let nextLarge = 0;
  const line = () => lines[next++] ?? "";
  const { count, deltas, loose, rows, values, hasMessages, hasCalls, hasResult, ...rest } = head;
  const valueOf = (how: Exclude<Head["values"][number], "entry">): EncodedValue => {
    if (how === "line") return line();
    const text = large[nextLarge++] ?? "";
    return how === "text" ? { text } : { text, data: line() };
  };
  return {
    ...rest,
    events: {
      count,
      deltas,
      loose,
      rows: rows.map(([last, cuts]) => ({ last, cuts, events: line() })),
    },
    ...(hasMessages && { messages: line() }),
    ...(hasCalls && { calls: line() }),
    changes: values.map((how): EncodedChanges => {
      const entries = line();
      return how === "entry" ? { entries } : { entries, value: valueOf(how) };
    }),
    ...(hasResult && { result: line() }),
  };
}
