/** The answer of a vendor's server, independent of its stream's form. */
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
  /** As the model writes it, broken or not. */
  readonly arguments: string;
}

/** One server-sent event. Its `type`, if any, is also its name, as with OpenAI and Anthropic. */
export function sse(data: object | string): string {
  const name = typeof data === "object" && "type" in data ? `event: ${String(data.type)}\n` : "";
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** Two halves, as deltas; empty for an empty text. */
export function halves(text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}

export function idOf(call: VendorCall, index: number): string {
  return call.id ?? `call_${index + 1}`;
}

/** The deltas of several calls, now of the one, now of the other. */
export function interleaved<T>(deltas: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...deltas.map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    deltas.flatMap((list) => list.slice(round, round + 1)),
  ).flat();
}
