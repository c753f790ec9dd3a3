import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "@capstan/contract";
import { type Client, createClient } from "./client.ts";
import { ApiError } from "./http/send.ts";
import type { Retry } from "./follow/follow.ts";
import { followRun } from "./follow-run.ts";

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

/** A fake client whose connections each yield some events and then end, or fail. */
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

async function numbers(client: Pick<Client, "events">, retry?: Retry) {
  const options = { client, run: "r", signal: never, ...(retry && { retry }) };
  return (await Array.fromAsync(followRun(options))).map(({ seq }) => seq);
}

test("after a lost connection, the stream continues without gaps and duplicates", async () => {
  const client = connections([1, 2, new Error("reset")], [2, 3], [4, 5]);
  assert.deepEqual(await numbers(client), [1, 2, 3, 4]);
  assert.deepEqual(client.asked, [0, 2, 3]);
});

test("a run that has ended after its last known event ends at once", async () => {
  const answers = [new Response('data: {"seq":3,"type":"chain.waiting"}\n\n'), 204, 204];
  const fetch = () => {
    const answer = answers.shift() ?? 500;
    return Promise.resolve(
      typeof answer === "number" ? new Response(null, { status: answer }) : answer,
    );
  };
  const client = createClient({ url: "http://server", fetch });
  // The stream of a response that was closed with open calls has no `chain.ended`.
  assert.deepEqual(await numbers(client), [3]);
  assert.deepEqual(await numbers(client), []);
  assert.equal(answers.length, 0);
});

test("ends with an error after six failures in a row", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const client = connections([1, new Error("reset")]);
  const read = numbers(client);
  const rejected = assert.rejects(read, { code: "connection_lost" });
  while (client.asked.length < 6) {
    await new Promise(setImmediate);
    t.mock.timers.tick(1_500);
  }
  await rejected;
  assert.deepEqual(client.asked, [0, 1, 1, 1, 1, 1]);
});

test("passes the number of failures in a row to retry, which may give up", async () => {
  const counts: number[] = [];
  const client = connections([1, new Error("reset")], [new Error("reset")], [2], []);
  const retry = (_failure: unknown, failures: number) => {
    counts.push(failures);
    return counts.length < 4 ? Promise.resolve() : Promise.reject(new Error("enough"));
  };
  await assert.rejects(numbers(client, retry), /enough/);
  // A connection that brought events and ended without an error is not a failure.
  assert.deepEqual(counts, [1, 2, 1, 2]);
  assert.deepEqual(client.asked, [0, 1, 1, 2, 2]);
});

test("pauses before it reopens a stream that the server ended early", async () => {
  const client = connections([1], [2], [3], []);
  const started = performance.now();
  const retry = () => Promise.reject(new Error("enough"));
  await assert.rejects(numbers(client, retry), /enough/);
  assert.deepEqual(client.asked, [0, 1, 2, 3]);
  // There are three pauses of 250 to 500 ms.
  assert.ok(performance.now() - started >= 740);
});

test("an aborted stream ends with the signal's reason", async () => {
  const abort = new AbortController();
  const client = connections([1, 2]);
  await assert.rejects(async () => {
    for await (const _event of followRun({ client, run: "r", signal: abort.signal }))
      abort.abort(new Error("left"));
  }, /left/);
});

test("does not retry a request that the server rejected", async () => {
  const refusal = new ApiError({ status: 404, code: "not_found", message: "No run r." });
  const client = connections([refusal]);
  await assert.rejects(numbers(client), /No run r/);
  assert.deepEqual(client.asked, [0]);
});
