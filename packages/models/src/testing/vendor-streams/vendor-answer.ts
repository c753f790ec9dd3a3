/** An answer, independent of a vendor's stream format. */
export interface VendorAnswer {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly VendorCall[];
  /** More text, after the calls. */
  readonly afterword?: string;
}

export interface VendorCall {
  /** @default call_1, call_2, … */
  readonly id?: string;
  readonly name: string;
  /** The arguments as the model writes them, valid or not. */
  readonly arguments: string;
}

/**
 * Returns one server-sent event. Its `type` is also the event's name, as with OpenAI and Anthropic.
 */
export function sse(data: object | string): string {
  const name = typeof data === "object" && "type" in data ? `event: ${String(data.type)}\n` : "";
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** Splits a text into two deltas, or none if it is empty. */
export function halves(text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}

export function idOf(call: VendorCall, index: number): string {
  return call.id ?? `call_${index + 1}`;
}

/** Interleaves the deltas of several calls. */
export function interleaved<T>(deltas: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...deltas.map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    deltas.flatMap((list) => list.slice(round, round + 1)),
  ).flat();
}
