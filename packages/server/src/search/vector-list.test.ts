import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeVector, encodeVector, lengthOfVector, smallVector } from "./vector-code.ts";
import { nearestParts, vectorList } from "./vector-list.ts";

/** Numbers from -1 to 1 that are the same in each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 31 - 1;
  };
}

const random = randomOf(3);
const numbers = (count: number) => Array.from({ length: count }, random);
const near = (point: readonly number[], spread: number) =>
  point.map((each) => each + random() * spread);

function partsOf(vectors: readonly (readonly number[])[]) {
  return vectors.map((each, n) => {
    const vector = smallVector(each);
    return { n, vector, length: lengthOfVector(vector) };
  });
}

test("a vector survives storage, and its direction hardly changes", () => {
  const exact = numbers(384);
  const stored = decodeVector(encodeVector(smallVector(exact)));
  const dot = exact.reduce((sum, each, index) => sum + each * (stored[index] ?? 0), 0);
  assert.ok(dot / (Math.hypot(...exact) * lengthOfVector(stored)) > 0.999);
  assert.deepEqual([...smallVector([0, 0])], [0, 0]);
});

test("a long list has nearly the same nearest parts as a comparison with all", async () => {
  const topics = Array.from({ length: 60 }, () => numbers(256));
  const vectors = Array.from({ length: 3_000 }, (_, n) => near(topics[n % 60] ?? [], 2));
  const parts = partsOf(vectors);
  const long = await vectorList(parts);
  assert.ok(long.signs.length > 0);
  const all = { ...long, signs: new Int32Array() };
  let same = 0;
  for (let turn = 0; turn < 20; turn += 1) {
    const query = smallVector(near(topics[turn] ?? [], 1.5));
    const expected = nearestParts(all, query, 10).map(({ n }) => n);
    const found = new Set(nearestParts(long, query, 10).map(({ n }) => n));
    same += expected.filter((n) => found.has(n)).length;
  }
  assert.ok(same >= 195, `${same} of 200`);
});

test("vectors of another size, and vectors without a direction, are not compared", async () => {
  const list = await vectorList(
    partsOf([
      [0, 0],
      [1, 0],
      [1, 1],
      [1, 2, 3],
    ]),
  );
  assert.deepEqual(
    nearestParts(list, smallVector([1, 0]), 9).map(({ n }) => n),
    [1, 2],
  );
  assert.deepEqual(nearestParts(list, smallVector([1, 0, 0]), 9), []);
  assert.deepEqual(nearestParts(await vectorList([]), smallVector([1]), 9), []);
});

test("equal vectors are not all compared, and the creation of a list yields to the event loop", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const [one] = partsOf([numbers(1_024)]);
  assert.ok(one !== undefined);
  const compared = new Set<number>();
  const equal = Array.from({ length: 20_000 }, (_, n) => ({
    vector: one.vector,
    length: one.length,
    get n() {
      compared.add(n);
      return n;
    },
  }));
  const list = await vectorList(equal);
  clearInterval(timer);
  assert.ok(turns > 0);
  assert.equal(nearestParts(list, one.vector, 50).length, 50);
  assert.equal(compared.size, 1_000);
});
