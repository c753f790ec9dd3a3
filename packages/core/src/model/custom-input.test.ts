import assert from "node:assert/strict";
import { test } from "node:test";
import { customArguments, customInput } from "./custom-input.ts";

// Contract: plugins-46
test("the text of a custom tool is its argument, even if the model was cut off or wrote plain text", () => {
  const cases: readonly (readonly [string, string])[] = [
    [customArguments('a "b"\n\\'), 'a "b"\n\\'],
    ['{"input":"a\\nb\\"', 'a\nb"'],
    ['{ "input" : "a\\', "a"],
    ['{"input":"a\\u00', "a"],
    ['{"input":"a\nb"}', "a\nb"],
    ['{"input":{"a":1}}', '{"a":1}'],
    ["*** Begin", "*** Begin"],
    ['{"other":1}', '{"other":1}'],
    ["", ""],
  ];
  for (const [written, input] of cases) assert.equal(customInput(written), input);
});
