import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { FakeClock } from "@capstan/core/testing";
import { openScriptValues, type ValueSealer } from "./script-values.ts";

const place = mkdtempSync(join(tmpdir(), "capstan-values-"));
after(() => rmSync(place, { recursive: true }));

/** Encodes values with a key; a test of the real sealer is in the command line's package. */
function sealerOf(key: string): ValueSealer {
  return {
    seal: (owner, text) => Buffer.from(JSON.stringify([key, owner, text])).toString("base64"),
    open(owner, sealed) {
      const [by, of, text] = JSON.parse(Buffer.from(sealed, "base64").toString()) as string[];
      return by === key && of === owner ? { status: "opened", text: text ?? "" } : { status: "no" };
    },
  };
}

let count = 0;
const open = (key = "first", folder = join(place, `${++count}`)) => ({
  folder,
  values: openScriptValues({ folder, sealer: sealerOf(key), clock: new FakeClock(5_000) }),
});
const fileOf = (name: string) => `${createHash("sha256").update(name).digest("hex")}.json`;

test("a value is set, replaced and removed, and lists do not contain it", () => {
  const { values, folder } = open();
  assert.deepEqual(values.list(), []);
  assert.equal(values.set("WEATHER_KEY", "sesame"), undefined);
  assert.equal(values.set("weather_key", "other"), undefined);
  assert.deepEqual(values.read(["WEATHER_KEY", "weather_key", "MISSING"]), {
    values: { WEATHER_KEY: "sesame", weather_key: "other" },
    unreadable: [],
  });
  assert.equal(values.set("WEATHER_KEY", "open\nsesame"), undefined);
  assert.equal(values.read(["WEATHER_KEY"]).values["WEATHER_KEY"], "open\nsesame");
  assert.deepEqual(values.list(), [
    { name: "WEATHER_KEY", setAt: 5_000, isReadable: true },
    { name: "weather_key", setAt: 5_000, isReadable: true },
  ]);
  assert.equal(values.remove("WEATHER_KEY"), true);
  assert.equal(values.remove("WEATHER_KEY"), false);
  assert.deepEqual(values.read(["WEATHER_KEY"]), { values: {}, unreadable: [] });
  assert.deepEqual(readdirSync(folder), [fileOf("weather_key")]);
});

test("files of values are encrypted, and readable for their owner only", () => {
  const { values, folder } = open();
  values.set("WEATHER_KEY", "sesame");
  const file = join(folder, fileOf("WEATHER_KEY"));
  assert.doesNotMatch(readFileSync(file, "utf8"), /sesame/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
});

test("a value of another secret key, or of another name, is unreadable until it is set again", () => {
  const { folder, values: before } = open();
  before.set("WEATHER_KEY", "sesame");
  before.set("REGION", "eu");
  const { values } = open("second", folder);
  values.set("REGION", "us");
  assert.deepEqual(
    values.list().map(({ name, isReadable }) => [name, isReadable]),
    [
      ["REGION", true],
      ["WEATHER_KEY", false],
    ],
  );
  assert.deepEqual(values.read(["WEATHER_KEY", "REGION"]), {
    values: { REGION: "us" },
    unreadable: ["WEATHER_KEY"],
  });
  values.set("WEATHER_KEY", "new");
  assert.deepEqual(values.read(["WEATHER_KEY"]), {
    values: { WEATHER_KEY: "new" },
    unreadable: [],
  });
  copyFileSync(join(folder, fileOf("WEATHER_KEY")), join(folder, fileOf("COPY")));
  assert.deepEqual(values.read(["COPY"]), { values: {}, unreadable: [] });
});

test("invalid names and values are rejected by field, without the value", () => {
  const { values } = open();
  for (const name of ["", "1A", "A-B", "A=B", "../x", "x".repeat(201)])
    assert.equal(values.set(name, "sesame")?.field, "name", name);
  for (const value of ["", "a\0b", "x".repeat(10_001)]) {
    const problem = values.set("KEY", value);
    assert.equal(problem?.field, "value");
    assert.doesNotMatch(problem?.message ?? "", /xxx|a\0b/);
  }
  for (let index = 0; index < 200; index++) values.set(`KEY_${index}`, "x");
  assert.match(values.set("ONE_MORE", "x")?.message ?? "", /Remove one first/);
  assert.equal(values.set("KEY_7", "again"), undefined);
});

test("values are encrypted again with the current key, and those that no key opens are named", () => {
  const { values, folder } = open("old");
  values.set("A", "a");
  values.set("B", "b");
  open("lost", folder).values.set("C", "c");
  const [old, current] = [sealerOf("old"), sealerOf("new")];
  const both: ValueSealer = {
    seal: (owner, text) => current.seal(owner, text),
    open(owner, sealed) {
      const opened = current.open(owner, sealed);
      return opened.status === "opened" ? opened : old.open(owner, sealed);
    },
  };
  const rotated = openScriptValues({ folder, sealer: both, clock: new FakeClock(9_000) });
  const expected = { count: 2, unreadable: ["C"] };
  assert.deepEqual(rotated.encryptAgain(), expected);
  assert.deepEqual(rotated.encryptAgain(), expected, "also after an interruption");
  const { values: after } = open("new", folder);
  assert.deepEqual(after.read(["A", "B", "C"]), {
    values: { A: "a", B: "b" },
    unreadable: ["C"],
  });
  assert.equal(after.list()[0]?.setAt, 5_000);
});
