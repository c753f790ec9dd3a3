import { jsonChunks } from "./json-chunks.ts";

/**
 * Answers with JSON in pieces, each made when the reader takes it: a long answer neither holds up
 * other requests nor exists whole a second time.
 *
 * @example return streamJson(jsonChunks(response));
 */
export function streamJson(chunks: Iterable<string> | AsyncIterable<string>): Response {
  const iterator: Iterator<string, unknown> | AsyncIterator<string, unknown> =
    Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}

/**
 * A list in OpenAI's form, of which each item is read when its turn comes.
 *
 * @param ends the ids of the first and the last item, null for an empty list
 */
export async function* listChunks(
  items: Iterable<object> | AsyncIterable<object>,
  ends: { readonly hasMore: boolean; readonly first: string | null; readonly last: string | null },
): AsyncGenerator<string> {
  yield '{"object":"list","data":[';
  let separator = "";
  for await (const item of items) {
    let before = separator;
    for (const chunk of jsonChunks(item)) {
      yield before + chunk;
      before = "";
    }
    separator = ",";
  }
  const { hasMore, first, last } = ends;
  const rest = JSON.stringify({ has_more: hasMore, first_id: first, last_id: last });
  yield `],${rest.slice(1)}`;
}
