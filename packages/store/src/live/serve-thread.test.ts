import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { errorDataOf } from "../records/error-data.ts";
import { serveThread } from "./serve-thread.ts";

const fails = (thrown: unknown) => errorDataOf("Counting", thrown);

type Options = Omit<Parameters<typeof serveThread>[0], "failure" | "port" | "stop">;

/** What is answered to messages that lie there as the first is read: message by message, until the end. */
async function answered(messages: readonly unknown[], options: Options): Promise<unknown[]> {
  const { port1: port, port2 } = new MessageChannel();
  const replies: unknown[] = [];
  port.on("message", (reply) => replies.push(reply));
  for (const message of [...messages, { stop: true }]) port.postMessage(message);
  serveThread({
    failure: fails,
    port: port2,
    stop: () => void replies.push("stops"),
    ...options,
  });
  await once(port, "close");
  return replies;
}

const requests = [{ request: 1 }, { request: 2 }, { request: 3 }];

test("what lies there is answered together, in its order, before it stops", async () => {
  const asked: (readonly unknown[])[] = [];
  const answer = (all: readonly unknown[]) => {
    asked.push(all);
    return all.map((each) => Number(each) * 10);
  };
  const replies = await answered(requests, { answer, together: true });
  assert.deepEqual(asked.flat(), [1, 2, 3]);
  assert.deepEqual(replies.filter((reply) => reply !== "stops").flat(), [
    { value: 10 },
    { value: 20 },
    { value: 30 },
  ]);
  assert.equal(replies.filter((reply) => reply === "stops").length, 1);
});

test("answers queued requests in portions and omits none", async () => {
  const sizes: number[] = [];
  const answer = (all: readonly unknown[]) => {
    sizes.push(all.length);
    return all;
  };
  const many = Array.from({ length: 150 }, (_, n) => ({ request: n }));
  await answered(many, { answer, together: true });
  assert.ok(Math.max(...sizes) < 150, sizes.join());
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    150,
  );
});

test("where it is not said, requests are answered one by one", async () => {
  const answer = ([one]: readonly unknown[]) => [Number(one) * 10];
  const replies = await answered(requests, { answer });
  assert.deepEqual(
    replies.filter((reply) => reply !== "stops"),
    [[{ value: 10 }], [{ value: 20 }], [{ value: 30 }]],
  );
});

test("all that was to be answered together hears why it was not", async () => {
  const answer = () => {
    throw new Error("no disk");
  };
  const replies = await answered(requests, { answer, together: true });
  const lots = replies.filter((reply) => reply !== "stops") as (readonly { error: Error }[])[];
  const errors = lots.flat();
  assert.equal(errors.length, 3);
  for (const { error } of errors) assert.match(error.message, /no disk/);
});
