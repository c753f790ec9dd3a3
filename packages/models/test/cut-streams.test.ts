import assert from "node:assert/strict";
import { test } from "node:test";
import { formNames } from "../src/testing/provider-forms.ts";
import { gist, replayOf } from "../src/testing/replay.ts";
import { vendorStream } from "../src/testing/vendor-streams/vendor-stream.ts";

// A stream that was cut off at any byte yields no call that looks complete.

/** The answer is short, because the test cuts it off at each byte. */
const shortAnswer = { text: "é", calls: [{ name: "A", arguments: '{"a":1}' }] };
const encoder = new TextEncoder();

// Contract: model-messages-11
test(
  "a stream that ends anywhere is complete or an error, and ends no incomplete call",
  { timeout: 300_000 },
  async (t) => {
    for (const form of formNames.filter((name) => name !== "google-older")) {
      const replay = replayOf(form);
      const short = vendorStream(form, shortAnswer);
      const bytes = encoder.encode(short);
      const whole = gist((await replay([bytes])).events);
      const call = encoder.encode(short.slice(0, short.indexOf('"A"'))).length;
      const eventEnds = Array.from(
        short.matchAll(/\n\n/g),
        ({ index }) => encoder.encode(short.slice(0, index + 2)).length,
      );
      for (const [end, title, positions] of [
        ["closed", "ended at any byte from its call on", bytes.keys().drop(call)],
        ["closed", "ended before", [0, 1, ...eventEnds].filter((at) => at < call)],
        ["lost", "lost after any event", eventEnds.slice(0, -1)],
        ["lost", "lost within any event", eventEnds.map((at) => at - 9)],
      ] as const) {
        await t.test(`${form}, ${title}`, async () => {
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
  },
);
