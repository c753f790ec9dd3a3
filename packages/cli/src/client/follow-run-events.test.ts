import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "@capstan/contract";
import { ApiError } from "./client-error.ts";
import { followRun } from "./follow-run-events.ts";

const never = new AbortController().signal;

function event(seq: number): RunEvent {
  const stats = {
    totalRounds: 1,
    totalCalls: 0,
    totalTime: 1,
    startTime: 0,
    endTime: 1,
    tokensDefinitions: 0,
    tokensArguments: 0,
    tokensShown: 0,
    tokensWithheld: 0,
  };
  const usage = { inputTokens: 0, outputTokens: 0 };
  return seq === 4
    ? { seq, type: "chain.ended", at: 0, status: "completed", usage, stats }
    : { seq, type: "run.heartbeat", at: 0 };
}

/** A server whose connections each give some events and then break, or end. */
function connections(...scripts: readonly (readonly (number | Error)[])[]) {
  const asked: number[] = [];
  return {
    asked,
    async *events(_run: string, after: number): AsyncGenerator<RunEvent> {
      const script = scripts[asked.length] ?? [new Error("refused")];
      asked.push(after);
      for (const step of script) {
        if (step instanceof Error) throw step;
        yield event(step);
      }
    },
  };
}

async function numbers(client: ReturnType<typeof connections>, attempts = 6) {
  const options = { client, run: "r", after: 0, signal: never, delayMs: 0, attempts };
  return (await Array.fromAsync(followRun(options))).map(({ seq }) => seq);
}

test("a lost connection goes on where it was, without a gap or a double", async () => {
  const client = connections([1, 2, new Error("reset")], [2, 3], [4, 5]);
  assert.deepEqual(await numbers(client), [1, 2, 3, 4]);
  assert.deepEqual(client.asked, [0, 2, 3]);
});

test("after failures in a row the error says what to do", async () => {
  const client = connections([1]);
  await assert.rejects(numbers(client, 3), /connection to the server is lost.*--continue/s);
  assert.deepEqual(client.asked, [0, 1, 1]);
});

test("a refusal of the server is not asked again", async () => {
  const refusal = new ApiError({ status: 404, code: "not_found", message: "No run r." });
  const client = connections([refusal]);
  await assert.rejects(numbers(client), /No run r/);
  assert.deepEqual(client.asked, [0]);
});
