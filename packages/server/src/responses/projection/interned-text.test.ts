import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ChainEvent } from "@capstan/core";
import type { RunEvent } from "@capstan/contract";
import {
  callStarted,
  filesServer,
  identity,
  numbered,
  proposed,
  settled,
  started,
} from "../../testing/run-script.ts";
import { createProjection, type ProjectionOptions } from "./project-events.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What 30 readers keep of a run, each of whom has read it by itself. */
function keptByMany(
  events: readonly RunEvent[],
  options: Partial<ProjectionOptions>,
): { readonly kept: number; readonly length: number } {
  const json = JSON.stringify(events);
  collect();
  const before = process.memoryUsage().heapUsed;
  const readers = Array.from({ length: 30 }, () => {
    const projection = createProjection({ ...identity, ...options });
    for (const event of JSON.parse(json) as readonly RunEvent[]) projection.push(event);
    return projection;
  });
  collect();
  const kept = process.memoryUsage().heapUsed - before;
  const lengths = readers.map((reader) => JSON.stringify(reader.response().output).length);
  return { kept, length: Math.min(...lengths) };
}

const text = "y".repeat(1_000_000);
const args = { input: text };
const argumentsText = JSON.stringify(args);
const clientCall: readonly ChainEvent[] = [
  started,
  { type: "item.start", itemId: "a", kind: "arguments", callId: "c", name: "put", owner: "client" },
  { type: "item.delta", itemId: "a", delta: argumentsText.slice(0, 500_000) },
  { type: "item.delta", itemId: "a", delta: argumentsText.slice(500_000) },
  { type: "item.end", itemId: "a", text: argumentsText },
  proposed("c", { name: "put", owner: "client", argumentsText, args }),
  { type: "client_call.waiting", callId: "c" },
];
const question = { id: "appr_1", callId: "c", toolId: "files.ViewFile", args, expiresAt: 2 };

const cases: readonly {
  readonly of: string;
  readonly events: readonly ChainEvent[];
  readonly options?: Partial<ProjectionOptions>;
}[] = [
  { of: "a client's call", events: clientCall, options: { toolOutputs: "inline" } },
  {
    of: "a client's call that is shown once it stands",
    events: clientCall,
    options: { toolOutputs: "inline", clientCalls: "after_step" },
  },
  {
    of: "a custom call",
    events: clientCall,
    options: { toolOutputs: "inline", customTools: ["put"] },
  },
  {
    of: "a server's call that is under way",
    events: [
      started,
      proposed("c", { toolId: "files.ViewFile", argumentsText, args }),
      callStarted("c"),
    ],
    options: { servers: [filesServer] },
  },
  {
    of: "a question",
    events: [
      started,
      proposed("c", { toolId: "files.ViewFile", argumentsText, args }),
      { type: "approval.requested", callId: "c", approval: question } as unknown as ChainEvent,
    ],
    options: { servers: [filesServer] },
  },
  {
    of: "a server's call that has ended",
    events: [
      started,
      proposed("c", { toolId: "files.ViewFile" }),
      callStarted("c"),
      settled("c", text),
    ],
    options: { servers: [filesServer] },
  },
];

test("many who read a run hold the texts of its calls once", async (context) => {
  for (const { of, events, options = {} } of cases)
    await context.test(`of ${of}`, () => {
      const { kept, length } = keptByMany(numbered(events), options);
      assert.ok(length >= 1_000_000, `the output has ${length} characters`);
      assert.ok(kept < 15_000_000, `30 readers of 1 MB keep ${kept} bytes`);
    });
});
