import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { groupIdOf } from "./group-id.ts";

// Contract: scripts-13
test("a valid name is the group's id, and a PowerShell group's id has a suffix", () => {
  assert.equal(groupIdOf("weather_2", "python"), "weather_2");
  assert.equal(groupIdOf("weather_2", "powershell"), "weather_2-ps1");
});

// Contract: scripts-13
test("every name has a stable and unique id that providers accept", () => {
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

test("a file's name has the same id in every Unicode form that file systems use", () => {
  assert.equal(groupIdOf("caf\u00e9", "python"), groupIdOf("cafe\u0301", "python"));
});
