import assert from "node:assert/strict";
import { test } from "node:test";
import { readStream } from "./ask-model.ts";

async function* numbers(upTo: number, ended: string[] = []): AsyncGenerator<number> {
  try {
    for (let n = 1; n <= upTo; n++) yield n;
  } finally {
    ended.push("closed");
  }
}

const never = new AbortController().signal;

test("values are taken in order, and the next is requested when a promise has resolved", async () => {
  const taken: string[] = [];
  await readStream(numbers(3), never, (n) => {
    taken.push(`${n}`);
    return n === 2 ? Promise.resolve().then(() => taken.push("waited")) : undefined;
  });
  assert.deepEqual(taken, ["1", "2", "waited", "3"]);
});

test("a reader that has enough values gets no more, and the stream is closed", async () => {
  const taken: number[] = [];
  const ended: string[] = [];
  await readStream(numbers(5, ended), never, (n) => {
    taken.push(n);
    return n === 2 ? "enough" : undefined;
  });
  assert.deepEqual(taken, [1, 2]);
  await Promise.resolve();
  assert.deepEqual(ended, ["closed"]);
});

test("an error of the stream or the reader is thrown, synchronously or later", async () => {
  const failure = new Error("lost");
  const rejects = { next: () => Promise.reject(failure) };
  const throws = {
    next(): never {
      throw failure;
    },
    return(): never {
      throw new Error("it cannot be closed either");
    },
  };
  for (const values of [rejects, throws]) {
    await assert.rejects(
      readStream(values, never, () => undefined),
      failure,
    );
  }
  const reader = () => {
    throw failure;
  };
  await assert.rejects(readStream(numbers(1), never, reader), failure);
  await assert.rejects(
    readStream(numbers(1), never, () => Promise.reject(failure)),
    failure,
  );
});

test("an abort ends the reading immediately, regardless of the stream, and no further value is passed on", async () => {
  const stop = new AbortController();
  const late = Promise.withResolvers<IteratorYieldResult<number>>();
  const stream: AsyncIterator<number> = { next: () => late.promise };
  const taken: number[] = [];
  const read = readStream(stream, stop.signal, (n) => void taken.push(n));
  stop.abort(new Error("enough of it"));
  await assert.rejects(read, /enough of it/);
  late.resolve({ done: false, value: 1 });
  await late.promise;
  await assert.rejects(
    readStream(numbers(1), stop.signal, (n) => void taken.push(n)),
    /enough of it/,
  );
  assert.deepEqual(taken, []);
});
