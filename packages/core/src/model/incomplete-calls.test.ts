import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isWholeCall, markIncomplete } from "./incomplete-calls.ts";

test("the beginning of an object is never complete arguments", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (object, at) => {
      const text = JSON.stringify(object);
      assert.ok(isWholeCall(text, { isLast: true }));
      const prefix = text.slice(0, at % text.length);
      assert.ok(!isWholeCall(prefix, { isLast: true }), prefix);
    }),
  );
});

test("only the last call without arguments can be incomplete", () => {
  const call = (id: string, args: string) =>
    ({ id, type: "function", function: { name: "Look", arguments: args } }) as const;
  const marked = markIncomplete([call("a", ""), call("b", '{"x":'), call("c", " ")]);
  assert.deepEqual(
    marked.map(({ incomplete }) => incomplete),
    [undefined, true, true],
  );
  assert.throws(() => JSON.parse(marked[2]?.function.arguments ?? "{}"), SyntaxError);
});
