import assert from "node:assert/strict";
import { test } from "node:test";
import { runInSlot } from "./run-in-slot.ts";

const { signal } = new AbortController();

/** Starts work that ends when it is told to. */
function pool(name: string, atOnce = 1) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (work: string, user?: string, by = signal) =>
    runInSlot({ pool: name, atOnce, user, signal: by }, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push(work);
      ends.set(work, resolve);
      await promise;
      return { status: "done", work } as const;
    });
  const end = async (work: string): Promise<void> => {
    ends.get(work)?.();
    await new Promise((resolve) => void setImmediate(resolve));
  };
  return { begun, start, end };
}

test("users take turns, and work of one user keeps its order", async () => {
  const { begun, start, end } = pool("turns");
  const all = [start("a1", "a"), start("a2", "a"), start("a3", "a"), start("b1", "b")];
  for (const work of ["a1", "b1", "a2", "a3"]) await end(work);
  assert.deepEqual(begun, ["a1", "b1", "a2", "a3"]);
  assert.deepEqual(
    (await Promise.all(all)).map((outcome) => outcome.status),
    ["done", "done", "done", "done"],
  );
});

test("a user whose work runs waits longer than one without", async () => {
  const { begun, start, end } = pool("running", 2);
  const all = [start("a1", "a"), start("b1", "b"), start("b2", "b"), start("a2", "a")];
  await end("a1");
  assert.deepEqual(begun, ["a1", "b1", "a2"]);
  for (const work of ["b1", "a2", "b2"]) await end(work);
  await Promise.all(all);
});

test("an abort ends the waiting at once, and its turn goes to the next", async () => {
  const { begun, start, end } = pool("abort");
  const controller = new AbortController();
  const first = start("1");
  const aborted = start("2", undefined, controller.signal);
  const third = start("3");
  controller.abort(new Error("not wanted"));
  await assert.rejects(aborted, /not wanted/);
  assert.deepEqual(begun, ["1"]);
  await end("1");
  await end("3");
  assert.deepEqual(begun, ["1", "3"]);
  await Promise.all([first, third]);
});

test("too much waiting work of a user is refused, and that of others is not", async () => {
  const { start, end } = pool("full");
  const running = start("a", "a");
  const waiting = Array.from({ length: 100 }, (_, n) => start(`a${n}`, "a"));
  assert.deepEqual(await start("more", "a"), { status: "busy" });
  const other = start("b", "b");
  for (const work of ["a", "b", ...waiting.keys().map((n) => `a${n}`)]) await end(work);
  assert.equal((await other).status, "done");
  await Promise.all([running, ...waiting]);
});

test("a failure gives the slot back", async () => {
  const request = { pool: "failure", atOnce: 1, signal };
  await assert.rejects(
    runInSlot(request, () => Promise.reject(new Error("failed"))),
    /failed/,
  );
  assert.equal(await runInSlot(request, async () => "done"), "done");
});
