import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainEvent } from "@capstan/core";
import fc from "fast-check";
import type { RunEvent, RunNotice } from "@capstan/contract";
import { encodeInChunks } from "../../http/streams.ts";
import {
  asked,
  callStarted,
  ended,
  filesServer,
  heartbeat,
  identity,
  numbered,
  proposed,
  roundEnded,
  roundStarted,
  settled,
  textEvents,
  started,
  waiting,
  written,
} from "../../testing/run-script.ts";
import { assertStreamGrammar } from "../../testing/stream-grammar.ts";
import { customForms } from "../client-tools/tool-form.ts";
import { createProjection, type ProjectionOptions } from "./project-events.ts";

type Script = readonly (ChainEvent | RunNotice)[];

/** The events of one item, in order; the events of several items are interleaved. */
const thread = fc.oneof(
  fc.tuple(fc.constant("text" as const), fc.array(fc.string(), { maxLength: 4 })),
  fc.tuple(fc.constant("reasoning" as const), fc.array(fc.string(), { maxLength: 3 })),
  fc.tuple(fc.constant("client" as const), fc.array(fc.string(), { maxLength: 3 })),
  fc.tuple(fc.constant("custom" as const), fc.array(fc.string(), { maxLength: 3 })),
  fc.tuple(fc.constant("server" as const), fc.array(fc.string(), { maxLength: 2 })),
  fc.tuple(fc.constant("hidden" as const), fc.array(fc.string(), { maxLength: 2 })),
  fc.tuple(fc.constant("asked" as const), fc.array(fc.string(), { maxLength: 1 })),
);

function threadScript(
  [kind, deltas]: readonly [string, readonly string[]],
  id: string,
): readonly ChainEvent[] {
  const text = deltas.join("");
  switch (kind) {
    case "text":
    case "reasoning":
      return textEvents(id, deltas, kind);
    case "client":
      return written(id, deltas);
    case "custom":
      return written(id, deltas, { name: "Patch" });
    case "asked":
      return [proposed(id), asked(id)];
    default: {
      const toolId = kind === "hidden" ? "vars.ReadVar" : "files.ViewFile";
      const head = written(id, deltas, { owner: "server" });
      return [...head, proposed(id, { toolId }), callStarted(id), settled(id, text)];
    }
  }
}

/** Merges scripts by a list of choices, keeping the order inside each. */
function interleave(scripts: readonly Script[], choices: readonly number[]): Script {
  const left = scripts.map((script) => [...script]).filter((script) => script.length > 0);
  const merged: (ChainEvent | RunNotice)[] = [];
  for (let step = 0; left.length > 0; step += 1) {
    const index = (choices[step % choices.length] ?? 0) % left.length;
    const next = left[index]?.shift();
    if (next !== undefined) merged.push(next);
    if (left[index]?.length === 0) left.splice(index, 1);
  }
  return merged;
}

const restarted: ChainEvent = { type: "model.restarted", reason: "test" };

const script = fc
  .record({
    rounds: fc.array(
      fc.record({
        threads: fc.array(thread, { maxLength: 5 }),
        choices: fc.array(fc.nat(20), { minLength: 1, maxLength: 30 }),
        extra: fc.array(fc.constantFrom<ChainEvent | RunNotice>(heartbeat, restarted), {
          maxLength: 2,
        }),
      }),
      { maxLength: 3 },
    ),
    ending: fc.constantFrom<Script>(
      [ended()],
      [roundEnded("length"), ended()],
      [ended("aborted")],
      [ended("error", { code: "server", message: "broken", phase: "model" })],
      [waiting()],
    ),
    cutAt: fc.option(fc.nat(60)),
  })
  .map(({ rounds, ending, cutAt }): readonly RunEvent[] => {
    const body = rounds.flatMap(({ threads, choices, extra }, round): Script => {
      const scripts = threads.map((each, index) => threadScript(each, `r${round}c${index}`));
      return [roundStarted(round), ...interleave([...scripts, extra], choices), roundEnded()];
    });
    return numbered([started, ...body.slice(0, cutAt ?? body.length), ...ending]);
  });

const options: fc.Arbitrary<ProjectionOptions> = fc
  .record({
    approvals: fc.constantFrom("inline" as const, "deferred" as const),
    clientCalls: fc.constantFrom("live" as const, "after_step" as const),
  })
  .map((given) => ({
    ...identity,
    servers: [filesServer],
    forms: customForms(["Patch"]),
    ...given,
  }));

const encodeEvent = (event: { readonly type: string }) => [...encodeInChunks(event)].join("");

function bytes(given: ProjectionOptions, events: readonly RunEvent[]): string {
  const projection = createProjection(given);
  return events
    .flatMap((event) => projection.push(event))
    .map(encodeEvent)
    .join("");
}

// Contract: plugins-49
test("for any events of a run and any end, the stream follows the grammar and is closed", () => {
  fc.assert(
    fc.property(script, options, (events, given) => {
      const projection = createProjection(given);
      const stream = events.flatMap((event) => projection.push(event));
      assertStreamGrammar(stream, { closed: true });
      const last = stream.at(-1);
      assert.deepEqual(
        last !== undefined && "response" in last && last.response,
        projection.response(),
      );
    }),
    { numRuns: 400 },
  );
});

// Contract: plugins-49
test("every prefix of a run is a prefix of its stream, so a replay has the same bytes", () => {
  fc.assert(
    fc.property(script, options, fc.nat(), (events, given, at) => {
      const whole = bytes(given, events);
      const cut = at % (events.length + 1);
      assert.ok(whole.startsWith(bytes(given, events.slice(0, cut))));
      const projection = createProjection(given);
      const split = [events.slice(0, cut), events.slice(cut)].map((part) =>
        part
          .flatMap((event) => projection.push(event))
          .map(encodeEvent)
          .join(""),
      );
      assert.equal(split.join(""), whole);
    }),
    { numRuns: 200 },
  );
});

test("events that were sent never change afterwards", () => {
  fc.assert(
    fc.property(script, options, (events, given) => {
      const projection = createProjection(given);
      const sent = events.flatMap((event) =>
        projection.push(event).map((out) => ({ out, bytes: encodeEvent(out) })),
      );
      for (const { out, bytes } of sent) assert.equal(encodeEvent(out), bytes);
    }),
    { numRuns: 100 },
  );
});
