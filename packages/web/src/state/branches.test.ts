import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { branchOf, versionsOf } from "./branches.ts";

const run = (id: string, previous: string | null) => ({ view: { id, previous } });
const ids = (runs: readonly { readonly view: { readonly id: string } }[]) =>
  runs.map(({ view }) => view.id).join("");

/** a, b and c are the first branch; d replaces b, and e replaces a. */
const tree = [run("a", null), run("b", "a"), run("c", "b"), run("d", "a"), run("e", null)];

test("the newest run is the end of the default branch", () => {
  assert.equal(ids(branchOf(tree, null)), "e");
  assert.equal(ids(branchOf(tree.slice(0, 4), null)), "ad");
  assert.equal(ids(branchOf([], null)), "");
});

test("a chosen run shows the newest branch through it", () => {
  assert.equal(ids(branchOf(tree, "a")), "ad");
  assert.equal(ids(branchOf(tree, "b")), "abc");
  assert.equal(ids(branchOf(tree, "unknown")), "e");
});

test("versions of a run continue the same run", () => {
  assert.equal(ids(versionsOf(tree, tree[1] ?? assert.fail())), "bd");
  assert.equal(ids(versionsOf(tree, tree[4] ?? assert.fail())), "ae");
});

test("a branch and its versions reach every run, even if an old run is missing", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 20 }), fc.nat(3), (parents, missing) => {
      const all = parents.map((parent, index) =>
        run(`r${index}`, parent < index ? `r${parent}` : null),
      );
      const runs = all.slice(Math.min(missing, all.length));
      for (const each of runs) {
        const branch = branchOf(runs, each.view.id);
        assert.ok(branch.includes(each));
        assert.ok(versionsOf(runs, each).includes(each));
        for (const [index, { view }] of branch.entries())
          if (index > 0) assert.equal(view.previous, branch[index - 1]?.view.id);
      }
    }),
  );
});
