import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createFloor, type Spoken } from "./floor.ts";

test("the first speaks at once, the second when the first has ended", () => {
  const floor = createFloor();
  floor.open("a");
  floor.open("b");
  assert.deepEqual(floor.write("b", "two"), []);
  assert.deepEqual(floor.write("a", "one"), [{ callId: "a", text: "one" }]);
  assert.deepEqual(floor.close("a", "one, end"), [
    { callId: "a", text: ", end" },
    { callId: "b", text: "two" },
  ]);
  assert.deepEqual(floor.write("b", "!"), [{ callId: "b", text: "!" }]);
});

test("a waiting call keeps no more than the limit, and says what is left out", () => {
  const floor = createFloor(4);
  floor.open("a");
  floor.open("b");
  floor.write("b", "123456");
  floor.write("b", "78");
  assert.deepEqual(floor.close("a", ""), [
    { callId: "b", text: "1234\n… 4 characters left out …\n" },
  ]);
  assert.deepEqual(floor.close("b", "12345678, end"), [{ callId: "b", text: ", end" }]);
});

test("a call that has ended by its turn is shown whole, beyond the limit too", () => {
  const floor = createFloor(2);
  floor.open("a");
  floor.open("b");
  floor.write("b", "12345");
  assert.deepEqual(floor.close("b", "12345"), []);
  assert.deepEqual(floor.close("a", ""), [{ callId: "b", text: "12345" }]);
});

test("in any interleaving nothing is lost, doubled or mixed", () => {
  const calls = ["a", "b", "c"] as const;
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...calls), fc.string())), (writes) => {
      const floor = createFloor();
      const spoken: Spoken[] = [];
      const whole = { a: "", b: "", c: "" };
      for (const call of calls) floor.open(call);
      for (const [call, text] of writes) {
        whole[call] += text;
        spoken.push(...floor.write(call, text));
      }
      for (const call of ["b", "a", "c"] as const) spoken.push(...floor.close(call, whole[call]));
      const order = spoken.map(({ callId }) => callId).join("");
      assert.match(order, /^a*b*c*$/);
      assert.equal(spoken.map(({ text }) => text).join(""), whole.a + whole.b + whole.c);
    }),
  );
});
