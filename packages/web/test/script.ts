import type { RunEvent } from "@capstan/contract";

/** An event of a run, without its number. */
export type Step = WithoutSeq<RunEvent>;

/** Each member of a union without its number. */
type WithoutSeq<Event> = Event extends unknown
  ? { [Key in keyof Event as Key extends "seq" ? never : Key]: Event[Key] }
  : never;

/** Numbers steps, starting with `first`. */
export function numbered(steps: readonly Step[], first = 1): RunEvent[] {
  return steps.map((step, index) => ({ ...step, seq: first + index }));
}

/** Splits a text into chunks of a few characters, like a model's stream. */
export function pieces(text: string, size = 7): string[] {
  const cut: string[] = [];
  for (let at = 0; at < text.length; at += size) cut.push(text.slice(at, at + size));
  return cut;
}

type Item = WithoutStart<Extract<Step, { type: "item.start" }>>;
type WithoutStart<Start> = Start extends unknown ? Omit<Start, "type" | "itemId"> : never;

/** The events of a streamed item, from its start to its end. */
export function streamed(itemId: string, item: Item, text: string, size?: number): Step[] {
  return [
    { type: "item.start", itemId, ...item },
    ...pieces(text, size).map((delta): Step => ({ type: "item.delta", itemId, delta })),
    { type: "item.end", itemId, text },
  ];
}

/**
 * Returns the events that the server stores: the whole text of finished items, and one delta for an
 * open item.
 */
export function compacted(events: readonly RunEvent[]): RunEvent[] {
  const ended = new Set(
    events.flatMap((event) => (event.type === "item.end" ? [event.itemId] : [])),
  );
  const kept: RunEvent[] = [];
  const open = new Map<string, number>();
  for (const event of events) {
    if (event.type !== "item.delta") kept.push(event);
    else if (!ended.has(event.itemId)) {
      const at = open.get(event.itemId);
      const before = at === undefined ? undefined : kept[at];
      if (before?.type === "item.delta" && at !== undefined) {
        // The joined delta takes the place of the first one, so that numbers still rise.
        kept[at] = { ...before, delta: before.delta + event.delta };
      } else {
        open.set(event.itemId, kept.length);
        kept.push(event);
      }
    }
  }
  return kept;
}

/** The token counts and the text of a settled call. */
export function settled(callId: string, at: number, text: string, more: object = {}): Step {
  return {
    type: "call.settled",
    callId,
    at,
    status: "success",
    result: {
      finalText: text,
      isTruncated: false,
      tokens: {
        definition: 80,
        arguments: 12,
        shown: Math.ceil(text.length / 4),
        withheld: 0,
      },
      durationMs: 40,
      preview: text.slice(0, 80),
      cacheVarResult: `${callId}_var`,
      ...more,
    },
  };
}
