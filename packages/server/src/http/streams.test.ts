import assert from "node:assert/strict";
import { test } from "node:test";
import { eventStream } from "./streams.ts";

test("a stream whose sign of life fails lets its source go", async () => {
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  const never = new Promise<IteratorResult<string>>(() => {});
  const chunks = {
    [Symbol.asyncIterator]: () => ({
      next: () => never,
      return: () => {
        resolve("closed");
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  const left: string[] = [];
  const { body } = eventStream({
    chunks,
    idleMs: 1,
    onIdle: () => {
      throw new Error("the store is closed");
    },
    onLeave: () => left.push("left"),
  });
  await assert.rejects(Array.fromAsync(body ?? []), /the store is closed/);
  assert.equal(await closed, "closed");
  assert.deepEqual(left, ["left"]);
});
