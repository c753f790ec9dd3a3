import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../testing/fake-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import { ToolExecutor } from "./tool-executor.ts";

type Effects = "read" | "write" | "exclusive" | { readonly locks: () => readonly string[] };

/** Lets all pending promise callbacks run. */
const turns = () => new Promise(setImmediate);

/**
 * An executor with groups of tools that each run for 10 ms, and the sets of tools that ran
 * together.
 */
function setUp(groups: {
  readonly [group: string]: { readonly [tool: string]: Effects | undefined };
}) {
  const clock = new FakeClock();
  const running = new Set<string>();
  const together: string[] = [];
  const executor = new ToolExecutor({ clock });
  for (const [group, tools] of Object.entries(groups)) {
    const made = Object.entries(tools).map(([name, effects]) =>
      defineTool({
        name,
        description: "",
        permission: { executionPolicy: "auto" },
        ...(effects !== undefined && { effects }),
        execute: async () => {
          running.add(name);
          together.push([...running].join("+"));
          await new Promise<void>((resolve) => clock.after(10, () => resolve()));
          running.delete(name);
        },
      }),
    );
    executor.registerToolGroup({ name: group, tools: made });
    executor.toggleGroupEnabled(group, true);
  }
  /**
   * Makes all calls together. Returns the sets of calls that ran in parallel, and the duration in
   * ms.
   */
  const run = async (...names: string[]) => {
    const from = clock.now();
    const calls = Promise.all(names.map((name) => executor.execute(name, {})));
    for (let n = 0; n < names.length; n++) {
      await turns();
      if (running.size > 0) clock.advance(10);
    }
    await calls;
    return { together, ms: clock.now() - from };
  };
  return run;
}

// Contract: plugins-59
test("reads run together, also with a write", async () => {
  const { together, ms } = await setUp({ a: { R1: "read", R2: "read", W: "write" } })(
    "R1",
    "R2",
    "W",
  );
  assert.equal(together.at(-1), "R1+R2+W");
  assert.equal(ms, 10);
});

// Contract: plugins-60
test("undeclared tools are writes: one tool of a group runs at a time, in parallel with other groups", async () => {
  const run = setUp({ a: { A1: undefined, A2: undefined }, b: { B1: undefined } });
  const { together, ms } = await run("A1", "A2", "B1");
  assert.deepEqual(together, ["A1", "A1+B1", "A2"]);
  assert.equal(ms, 20);
});

// Contract: plugins-61
test("lock keys exclude only calls with the same key, across groups", async () => {
  const lock = (...keys: string[]) => ({ locks: () => keys });
  const run = setUp({ a: { X: lock("x"), XY: lock("x", "y") }, b: { Y: lock("y"), Z: lock("z") } });
  const { together, ms } = await run("X", "XY", "Y", "Z");
  assert.deepEqual(together.slice(0, 2), ["X", "X+Z"]);
  assert.ok(together.every((names) => !/X\+.*XY|XY.*\bY\b/.test(names)));
  assert.equal(ms, 30);
});

// Contract: plugins-62
test("no other call runs during an exclusive call", async () => {
  const { together, ms } = await setUp({ a: { R1: "read", E: "exclusive", R2: "read" } })(
    "R1",
    "E",
    "R2",
  );
  assert.deepEqual(together, ["R1", "E", "R2"]);
  assert.equal(ms, 30);
});
