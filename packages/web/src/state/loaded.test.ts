import assert from "node:assert/strict";
import { test } from "node:test";
import { createLoaded } from "./loaded.ts";

/** Creates a value whose requests the test answers. */
function create() {
  const asked: PromiseWithResolvers<readonly string[]>[] = [];
  const loaded = createLoaded<readonly string[]>([], () => {
    const request = Promise.withResolvers<readonly string[]>();
    asked.push(request);
    return request.promise;
  });
  return { loaded, asked };
}

test("a value is ready only after its first answer", async () => {
  const { loaded, asked } = create();
  const done = loaded.refresh();
  assert.deepEqual([loaded.value(), loaded.isReady()], [[], false]);
  asked[0]?.resolve(["a"]);
  await done;
  assert.deepEqual([loaded.value(), loaded.isReady()], [["a"], true]);
});

test("the newer of two requests counts, even if the older one is answered last", async () => {
  const { loaded, asked } = create();
  const both = [loaded.refresh(), loaded.refresh()];
  asked[1]?.resolve(["new"]);
  asked[0]?.resolve(["old"]);
  await Promise.all(both);
  assert.deepEqual(loaded.value(), ["new"]);
});

test("an answer to an earlier request does not undo a change", async () => {
  const { loaded, asked } = create();
  const first = loaded.refresh();
  loaded.set(() => ["renamed"]);
  asked[0]?.resolve(["as it was"]);
  await first;
  assert.deepEqual(loaded.value(), ["renamed"]);
  assert.equal(asked.length, 2, "it is asked for again");
  asked[1]?.resolve(["renamed", "and another"]);
  await asked[1]?.promise.then(() => {});
  assert.deepEqual(loaded.value(), ["renamed", "and another"]);
});

test("a change requests nothing if nothing was requested before", () => {
  const { loaded, asked } = create();
  loaded.set(() => ["mine"]);
  assert.deepEqual([loaded.value(), asked.length], [["mine"], 0]);
});

test("a cleared value is absent, and a late answer does not restore it", async () => {
  const { loaded, asked } = create();
  const first = loaded.refresh();
  loaded.clear();
  asked[0]?.resolve(["of another"]);
  await first;
  assert.deepEqual([loaded.value(), loaded.isReady()], [[], false]);
});

test("a failure is reported until the next answer", async () => {
  const { loaded, asked } = create();
  const first = loaded.refresh();
  asked[0]?.reject(new Error("no server"));
  await first;
  assert.deepEqual([loaded.error(), loaded.isReady()], ["no server", false]);
  const second = loaded.refresh();
  asked[1]?.resolve([]);
  await second;
  assert.deepEqual([loaded.error(), loaded.isReady()], [null, true]);
});
