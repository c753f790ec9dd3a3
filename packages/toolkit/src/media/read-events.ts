import { jsonOf } from "../service/service-client.ts";

/**
 * Reads server-sent events whose data is JSON. Ignores comments and `[DONE]`, and accepts any line
 * ends.
 */
export async function* readEvents(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly [field: string]: unknown }> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  const take = (line: string): unknown => {
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
    if (line !== "" || data.length === 0) return undefined;
    const value = jsonOf(data.join("\n"));
    data = [];
    return value;
  };
  for await (const piece of pieces) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = take(line.replace(/\r$/, ""));
      if (isRecord(event)) yield event;
    }
  }
  // The last event may lack its empty line.
  take(rest.replace(/\r$/, ""));
  const last = take("");
  if (isRecord(last)) yield last;
}

function isRecord(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
