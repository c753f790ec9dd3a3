import assert from "node:assert/strict";
import { test } from "node:test";
import { formNames } from "../testing/provider-forms.ts";
import { gist, replayOf } from "../testing/replay.ts";
import { vendorStream } from "../testing/vendor-streams/vendor-stream.ts";

// The events do not depend on how the network divides a stream into chunks.

const answer = {
  reasoning: "Äh",
  text: "漢é🚣",
  calls: [
    { name: "A", arguments: '{"a":"ü"}' },
    { name: "B", arguments: "{}" },
  ],
};
const encoder = new TextEncoder();
/** The bytes between two cuts, enough to keep the cuts independent. */
const distance = 37;

/** Divides a body into chunks of `size` bytes; the first one ends at `first`. */
function chunksOf(bytes: Uint8Array, first: number, size: number): readonly Uint8Array[] {
  const chunks = [bytes.subarray(0, first)];
  for (let at = first; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks.filter(({ length }) => length > 0);
}

const bodies = formNames
  .filter((form) => form !== "google-older")
  .flatMap((form) => {
    const body = vendorStream(form, answer);
    const replay = replayOf(form);
    return [
      { form, title: form, replay, bytes: encoder.encode(body) },
      {
        form,
        title: `${form}, with CRLF`,
        replay,
        bytes: encoder.encode(body.replaceAll("\n", "\r\n")),
      },
    ];
  });

// Contract: model-messages-10
test("reads all of an answer", async (t) => {
  for (const { form, title, replay, bytes } of bodies)
    await t.test(title, async () => {
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
});

// Contract: model-messages-10
test("yields the same events for a stream that is cut at any byte", async (t) => {
  for (const { title, replay, bytes } of bodies)
    await t.test(title, async () => {
      const whole = (await replay([bytes])).events;
      for (let first = 1; first <= distance; first++) {
        const { events } = await replay(chunksOf(bytes, first, distance));
        assert.deepEqual(events, whole, `cut at ${first} and every ${distance} bytes on`);
      }
      assert.deepEqual((await replay(chunksOf(bytes, 1, 1))).events, whole);
    });
});
