import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelEvent } from "@capstan/core";
import { type Collected, collectEvents, textOf } from "../testing/collect-events.ts";
import { formNames, modelOfForm, type ProviderForm } from "../testing/provider-forms.ts";
import {
  type BodyEnd,
  chunkedFetch,
  vendorStream,
} from "../testing/vendor-streams/vendor-stream.ts";

// Nothing depends on how the network cuts a stream into chunks, and nothing that looks whole comes
// of a stream that was cut off.

const answer = {
  reasoning: "Äh",
  text: "漢é🚣",
  calls: [
    { name: "A", arguments: '{"a":"ü"}' },
    { name: "B", arguments: "{}" },
  ],
};
/** Short, since it is cut off at each of its bytes. */
const shortAnswer = { text: "é", calls: [{ name: "A", arguments: '{"a":1}' }] };
const encoder = new TextEncoder();
/** Bytes between two cuts: enough that none has to do with the next one. */
const distance = 37;

type Replay = (chunks: readonly Uint8Array[], end?: BodyEnd) => Promise<Collected>;

function replayOf(form: ProviderForm): Replay {
  let fetch = chunkedFetch([]);
  const model = modelOfForm(form, async (...request) => fetch(...request));
  return async (chunks, end) => {
    fetch = chunkedFetch(chunks, end);
    return collectEvents(model);
  };
}

/** Chunks of this many bytes, the first one cut at `first`. */
function chunksOf(bytes: Uint8Array, first: number, size: number): readonly Uint8Array[] {
  const chunks = [bytes.subarray(0, first)];
  for (let at = first; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks.filter(({ length }) => length > 0);
}

/** What a reader learns; how it came in pieces is left out. */
function gist(events: readonly ModelEvent[]) {
  const calls = events.flatMap((event) =>
    event.type === "tool-call-end" ? [{ name: event.name, arguments: event.arguments }] : [],
  );
  const reasoning = events.flatMap((event) =>
    event.type === "reasoning-delta" ? [event.text] : [],
  );
  return { text: textOf(events), reasoning: reasoning.join(""), calls };
}

for (const form of formNames.filter((name) => name !== "google-older")) {
  const body = vendorStream(form, answer);
  const replay = replayOf(form);

  for (const [title, bytes] of [
    ["", encoder.encode(body)],
    [", with CRLF", encoder.encode(body.replaceAll("\n", "\r\n"))],
  ] as const) {
    test(`${form}${title}: all of an answer is read`, async () => {
      const { events, error } = await replay([bytes]);
      assert.equal(error, undefined);
      const hidden = form === "openai-chat";
      assert.deepEqual(gist(events), { ...answer, ...(hidden && { reasoning: "" }) });
      assert.deepEqual(events.at(-1), {
        type: "finish",
        reason: "tool_calls",
        usage: {
          inputTokens: 20,
          outputTokens: 9,
          cachedInputTokens: 8,
          ...(form !== "anthropic" && { reasoningTokens: 3 }),
        },
      });
    });

    test(`${form}${title}: cut at any byte, or into single ones, it is the same`, async () => {
      const whole = (await replay([bytes])).events;
      for (let first = 1; first <= distance; first++) {
        const { events } = await replay(chunksOf(bytes, first, distance));
        assert.deepEqual(events, whole, `cut at ${first} and every ${distance} bytes on`);
      }
      assert.deepEqual((await replay(chunksOf(bytes, 1, 1))).events, whole);
    });
  }

  const short = vendorStream(form, shortAnswer);
  const bytes = encoder.encode(short);
  // Before it everything is tried again, and nothing can be half.
  const firstWord = encoder.encode(short.slice(0, short.indexOf("é"))).length;
  const eventEnds = Array.from(
    short.matchAll(/\n\n/g),
    ({ index }) => encoder.encode(short.slice(0, index + 2)).length,
  );
  for (const [end, title, positions] of [
    ["closed", "ended at any byte from the words on", bytes.keys().drop(firstWord)],
    ["closed", "ended before", [0, 1, ...eventEnds].filter((at) => at < firstWord)],
    ["lost", "lost after any event", eventEnds.slice(0, -1)],
    ["lost", "lost within any event", eventEnds.map((at) => at - 9)],
  ] as const) {
    test(`${form}: ${title}, it is an error or was complete, and no call is half`, async () => {
      const whole = gist((await replay([bytes])).events);
      for (const at of positions) {
        const { events, error } = await replay([bytes.subarray(0, at)], end);
        if (events.at(-1)?.type === "finish") {
          assert.deepEqual([gist(events), error], [whole, undefined], `at ${at}`);
        } else {
          assert.match(String(error?.code), /^(?:connection|server)$/, `at ${at}`);
          assert.deepEqual(gist(events).calls, [], `at ${at}`);
        }
      }
    });
  }
}
