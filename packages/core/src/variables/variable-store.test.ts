import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { VariableSystem } from "./variable-system.ts";

const stopped = { now: () => 1000, monotonic: () => 0, after: () => () => {} };

test("a result that is never looked up has the same position as a result that is looked up each time", () => {
  const name = fc.constantFrom("a", "Tool_1", "Tool_2", "Tool_3", "Tool_2_args", "Tool_3_result");
  const step = fc.record({
    do: fc.oneof(
      { weight: 4, arbitrary: fc.constant("keep") },
      { weight: 3, arbitrary: fc.constantFrom("set", "get", "remove", "turn", "fork", "load") },
    ),
    name,
    size: fc.nat(30),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: "max" }), (steps) => {
      const limits = { capacity: 4, maxBytes: 120, maxValueBytes: 40, clock: stopped };
      let [watched, alone] = [new VariableSystem(limits), new VariableSystem(limits)];
      for (const { do: action, name: target, size } of steps) {
        const stored = watched.snapshot().slice(0, 1);
        const both = [watched, alone].map((variables) => {
          const value = { text: "x".repeat(size) };
          if (action === "keep") return variables.keepResult("Tool", value, { size });
          if (action === "set") return variables.addVariable(target, value, "LLMAdd");
          if (action === "get") return variables.getVariable(target);
          if (action === "remove") return variables.removeVariables([target]);
          if (action === "turn") return variables.beginTurn();
          if (action === "load") return variables.load(stored);
          return undefined;
        });
        if (action === "fork") [watched, alone] = [watched.fork(), alone.fork()];
        assert.deepEqual(both[1], both[0]);
        watched.listVariables();
        assert.deepEqual([alone.size, alone.bytes], [watched.size, watched.bytes]);
      }
      assert.deepEqual(alone.snapshot(), watched.snapshot());
      assert.deepEqual(alone.listVariables(), watched.listVariables());
      for (const gone of ["Tool_1", "Tool_2", "Tool_3"])
        assert.deepEqual(alone.missingVariable(gone), watched.missingVariable(gone));
    }),
    { numRuns: 500 },
  );
});

test("a fork evicts in the same order as a system restored from a snapshot", () => {
  const name = fc.constantFrom("a", "b", "Tool_1", "Tool_2", "Tool_2_args", "Tool_3_result");
  const type = fc.constantFrom("RULE", "LLMAdd", "ToolCallResult", "ToolCallArgs");
  const step = fc.record({
    do: fc.constantFrom("keep", "keep", "set", "get", "pin", "remove", "turn"),
    name,
    type,
    size: fc.nat(30),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: "max" }), (steps) => {
      const limits = { capacity: 4, maxBytes: 120, maxValueBytes: 40, clock: stopped };
      const variables = new VariableSystem(limits);
      for (const { do: action, name: target, type: kind, size } of steps) {
        const value = { text: "x".repeat(size) };
        if (action === "keep") variables.keepResult("Tool", value, { size });
        if (action === "set") variables.addVariable(target, value, kind);
        if (action === "get") variables.getVariable(target);
        if (action === "pin") variables.updateVariable(target, { keep: size > 15 });
        if (action === "remove") variables.removeVariables([target]);
        if (action === "turn") variables.beginTurn();
      }
      const forked = variables.fork();
      const restored = VariableSystem.restore(variables.snapshot(), limits);
      restored.beginTurn();
      for (let n = 0; n < 6; n++) {
        assert.deepEqual(forked.snapshot(), restored.snapshot());
        assert.deepEqual([forked.size, forked.bytes], [restored.size, restored.bytes]);
        for (const one of [forked, restored]) one.addVariable(`new-${n}`, "y", "LLMAdd");
      }
    }),
    { numRuns: 500 },
  );
});
