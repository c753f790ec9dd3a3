import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { groupIdOf } from "./group-id.ts";

// Contract: scripts-13
test("a name that is an id is the group's id, and PowerShell's has a suffix", () => {
  assert.equal(groupIdOf("weather_2", "python"), "weather_2");
  assert.equal(groupIdOf("weather_2", "powershell"), "weather_2-ps1");
});

// Contract: scripts-13
test("any name has an id that providers accept, always the same, and different names have different ids", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: "binary" }), (a, b) => {
      for (const name of [a, b])
        assert.match(groupIdOf(name, "powershell"), /^[a-zA-Z0-9_-]{1,64}$/);
      assert.equal(groupIdOf(a, "python"), groupIdOf(a, "python"));
      if (a.normalize("NFC") !== b.normalize("NFC"))
        assert.notEqual(groupIdOf(a, "python"), groupIdOf(b, "python"));
    }),
  );
});

test("a file's name has one id in every Unicode form that file systems use", () => {
  assert.equal(groupIdOf("caf\u00e9", "python"), groupIdOf("cafe\u0301", "python"));
});
