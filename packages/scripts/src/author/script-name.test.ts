import assert from "node:assert/strict";
import { test } from "node:test";
import { readScriptName } from "./script-name.ts";

test("the name of a new script is an id, and its extension names the language", () => {
  assert.deepEqual(readScriptName("weather"), { status: "named", stem: "weather", kind: "py" });
  assert.deepEqual(readScriptName("a-b.ps1"), { status: "named", stem: "a-b", kind: "ps1" });
  for (const name of ["_x", "../x", "x.rb", "", "a b", "größe", "x".repeat(41)])
    assert.equal(readScriptName(name).status, "refused", name);
});
