import assert from "node:assert/strict";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, mock, test } from "node:test";
import fc from "fast-check";
import { isToolError, type ToolError } from "@capstan/core";
import { fakeContext, toolOf } from "@capstan/core/testing";
import { ChangeFolder, type ChangeRecord } from "./change/change-record.ts";
import { editTools } from "./edit-tools.ts";
import type { ChangeResult } from "./permission.ts";

const base = mkdtempSync(join(tmpdir(), "capstan-edit-property-"));
after(() => rmSync(base, { recursive: true }));
const state = join(base, "state");
const [root, changes] = [join(state, "root"), join(state, "changes")];
const group = editTools({ roots: [{ path: root }], changes });

type Call = readonly [name: string, args: object];
let keys = 0;

async function run([name, args]: Call, key = `key-${keys++}`, signal?: AbortSignal) {
  const context = {
    ...fakeContext(),
    denied: () => ({ paths: [], hosts: [] }),
    idempotencyKey: key,
    ...(signal && { signal }),
  };
  return (await toolOf(group, name).execute?.({ ...args }, context)) as ChangeResult | ToolError;
}

function tree(): readonly string[] {
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path} ${readFileSync(path, "utf8")}` : path;
    })
    .toSorted();
}

/** Copies the files as they would be if the process were killed at this point. */
function copyState(number: number): string {
  const copy = join(base, `copy-${number}`);
  rmSync(copy, { recursive: true, force: true });
  cpSync(state, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function restoreState(copy: string): void {
  rmSync(state, { recursive: true });
  cpSync(copy, state, { recursive: true, verbatimSymlinks: true });
}

/** Runs `work`, and calls a function before and after each stored step. */
async function watched<T>(onSave: () => void, work: () => Promise<T>): Promise<T> {
  const original: (this: ChangeFolder, change: ChangeRecord) => Promise<void> = Reflect.get(
    ChangeFolder.prototype,
    "save",
  );
  const save = mock.method(
    ChangeFolder.prototype,
    "save",
    async function (this: ChangeFolder, change: ChangeRecord) {
      onSave();
      await original.call(this, change);
      onSave();
    },
  );
  try {
    return await work();
  } finally {
    save.mock.restore();
  }
}

const path = fc.constantFrom("a", "b", "d", "d/a", "d/e", "d/e/a", "f/g/a");
const text = fc.constantFrom("", "one\n", "one\ntwo\n", "two");
const call: fc.Arbitrary<Call> = fc.oneof(
  fc
    .tuple(path, text, fc.constantFrom("create", "overwrite", "append"))
    .map(([to, content, mode]) => ["WriteFile", { path: to, content, mode }] as const),
  fc.record({ from: path, to: path }).map((args) => ["MoveFile", args] as const),
  fc.record({ from: path, to: path }).map((args) => ["CopyFile", args] as const),
  fc.record({ path }).map((args) => ["MakeDirectory", args] as const),
  fc.record({ path }).map((args) => ["RemoveFile", args] as const),
  path.map((at) => ["EditFile", { path: at, edits: [{ search: "one", replace: "1" }] }] as const),
  fc.tuple(path, path, path).map(([one, two, three]): Call => [
    "ApplyPatch",
    {
      patch: `*** Add File: ${one}\n+x\n*** Update File: ${two}\n*** Move to: ${three}\n+y`,
    },
  ]),
);
const step = fc.record({
  call,
  /** The stored step at which the process is killed, as a fraction of all steps. */
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  next: fc.constantFrom("again", "undo", "stop"),
});

test("calls that fail, or are stopped or killed, change all files or none, and Undo restores them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
      rmSync(state, { recursive: true, force: true });
      mkdirSync(join(root, "d/e"), { recursive: true });
      for (const name of ["a", "d/a", "d/e/a"]) writeFileSync(join(root, name), "one\n");
      const first = tree();
      const made: string[] = [];
      for (const { call, at, next } of steps) {
        const before = tree();
        const key = `key-${keys++}`;
        const copies: string[] = [];
        const result = await watched(
          () => copies.push(copyState(copies.length)),
          () => run(call, key),
        );
        if (isToolError(result)) {
          assert.deepEqual(tree(), before, JSON.stringify(result));
          continue;
        }
        const end = tree();
        restoreState(copies[Math.floor(at * copies.length)] ?? state);
        if (next === "stop") {
          restoreState(copies[0] ?? state);
          assert.deepEqual(tree(), before);
          const stop = new AbortController();
          let saves = 0;
          const stopAt = Math.floor(at * copies.length);
          const stopped = () => (saves++ === stopAt ? stop.abort(new Error("stopped")) : undefined);
          const work = () => run(call, key, stop.signal);
          const done = await watched(stopped, work).catch((error: Error) => error.message);
          if (done === "stopped") {
            assert.deepEqual(tree(), before);
            continue;
          }
          assert.deepEqual(tree(), end);
          made.push((done as ChangeResult).change);
          continue;
        }
        if (next === "undo") {
          const undone = await run(["Undo", { change: result.change }]);
          if (isToolError(undone)) assert.equal(undone.code, "unknown_change");
          assert.deepEqual(tree(), before);
        }
        const again = await run(call, next === "again" ? key : undefined);
        assert.ok(!isToolError(again), JSON.stringify(again));
        assert.deepEqual(tree(), end);
        made.push(again.change);
      }
      for (const change of made.toReversed()) {
        const undone = await run(["Undo", { change }]);
        assert.ok(!isToolError(undone), JSON.stringify(undone));
      }
      assert.deepEqual(tree(), first);
    }),
    { numRuns: 25 },
  );
});
