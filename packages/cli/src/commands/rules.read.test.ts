import assert from "node:assert/strict";
import { test } from "node:test";
import { readRulesAction } from "./rules.ts";

const read = (positionals: readonly string[], values: { readonly [name: string]: string } = {}) =>
  readRulesAction({ positionals, values });
const message = (...given: Parameters<typeof read>) => {
  const action = read(...given);
  return action.type === "refused" ? action.message : action.type;
};

test("without an action the rules are listed", () => {
  assert.deepEqual([read([]), read(["list"])], [{ type: "list" }, { type: "list" }]);
});

test("setting a rule changes only the given fields, and `reset` removes a field", () => {
  assert.deepEqual(read(["set", "files.*"], { execution: "ask-always", reason: "mine" }), {
    type: "set",
    change: { tool: "files.*", execution: "ask-always", reason: "mine" },
  });
  assert.deepEqual(read(["set", "*"], { result: "reset", minutes: "1.5" }), {
    type: "set",
    change: { tool: "*", result: null, approvalMs: 90_000 },
  });
});

test("conditions are a pattern or JSON", () => {
  const when = (text: string) => {
    const action = read(["set", "*"], { execution: "deny", when: text });
    return action.type === "set" ? action.change.when : action;
  };
  assert.deepEqual(when("path=a=b/**"), { path: "a=b/**" });
  assert.deepEqual(when('{"n": {"max": 3}}'), { n: { max: 3 } });
  for (const wrong of ["path", "=x", "{path: 1}"])
    assert.match(
      message(["set", "*"], { execution: "deny", when: wrong }),
      /^--when: expected NAME=PATTERN/,
    );
});

test("a rule is removed by its id or its tool", () => {
  assert.deepEqual(read(["remove", "web.*"]), { type: "remove", rule: "web.*" });
});

test("an invalid command is rejected with the expected form", () => {
  assert.match(
    message(["ste", "x"]),
    /^There is no command `capstan rules ste`\. Did you mean set\?/,
  );
  assert.match(message(["set"]), /needs a tool such as files\.ViewFile/);
  assert.match(message(["set", "*"]), /needs at least one of --execution/);
  for (const minutes of ["soon", "-3", "0", "1e-9", "Infinity"])
    assert.match(message(["set", "*"], { reason: "x", minutes }), /^--minutes: expected .*\.$/);
  assert.match(message(["set", "*", "web.*"], { execution: "auto" }), /takes no "web\.\*"/);
  assert.match(message(["list", "x"]), /rules list takes no "x"/);
  assert.match(message(["remove"]), /needs the id of a rule/);
  assert.match(message(["remove", "x"], { execution: "auto" }), /--execution belongs to/);
});
