import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Place, Roster } from "./roster.ts";

test("a roster has those who entered and did not leave, in the order of arrival", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 })), (steps) => {
      const roster = new Roster<number>();
      const places = new Map<number, Place<number>>();
      const expected = new Set<number>();
      for (const one of steps) {
        const place = places.get(one);
        if (expected.delete(one) && place !== undefined) {
          roster.leave(place);
          roster.leave(place);
        } else {
          expected.add(one);
          places.set(one, roster.enter(one));
        }
        assert.deepEqual(roster.members(), [...expected]);
        assert.equal(roster.size, expected.size);
      }
    }),
  );
});

test("who leaves while the members are gone through takes nobody else off", () => {
  const roster = new Roster<string>();
  const places = ["a", "b", "c"].map((member) => roster.enter(member));
  const seen: string[] = [];
  for (const member of roster.members()) {
    seen.push(member);
    for (const place of places) roster.leave(place);
  }
  assert.deepEqual(seen, ["a", "b", "c"]);
  assert.equal(roster.size, 0);
});
