import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openSealer } from "./sealing.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-sealing-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("opens a sealed text for its owner, also after a restart", () => {
  const sealed = openSealer({ folder }).seal("ann", "It was slate.");
  assert.doesNotMatch(sealed, /slate/);
  assert.deepEqual(openSealer({ folder }).open("ann", sealed), {
    status: "opened",
    text: "It was slate.",
  });
});

test("a changed text, or one of another owner or installation, is invalid; any other text is foreign", () => {
  const sealer = openSealer({ folder });
  const sealed = sealer.seal("ann", "secret");
  assert.equal(sealer.open("ben", sealed).status, "invalid");
  const other = openSealer({ folder: join(folder, "other") });
  assert.equal(other.open("ann", sealed).status, "invalid");
  const bytes = Buffer.from(sealed.slice("capstan1.".length), "base64url");
  for (const [at, byte] of bytes.entries()) {
    const changed = Buffer.from(bytes);
    changed[at] = byte ^ 1;
    assert.equal(sealer.open("ann", `capstan1.${changed.toString("base64url")}`).status, "invalid");
  }
  assert.equal(sealer.open("ann", "capstan1.").status, "invalid");
  assert.equal(sealer.open("ann", "gAAAAA").status, "foreign");
});

test("servers with the same secret open each other's texts, and without it they cannot", () => {
  const secret = "0123456789abcdef0123456789abcdef";
  const one = openSealer({ folder, secret });
  const other = openSealer({ folder: join(folder, "elsewhere"), secret });
  const sealed = one.seal("ann", "a");
  assert.deepEqual(other.open("ann", sealed), { status: "opened", text: "a" });
  assert.equal(openSealer({ folder }).open("ann", sealed).status, "invalid");
  const different = openSealer({ folder, secret: `${secret}!` });
  assert.equal(different.open("ann", sealed).status, "invalid");
});

test("only deterministic sealing gives equal texts the same sealed form", () => {
  const sealer = openSealer({ folder });
  assert.notEqual(sealer.seal("ann", "a"), sealer.seal("ann", "a"));
  const isRepeatable = { isRepeatable: true };
  const sealed = sealer.seal("ann", "a", isRepeatable);
  assert.equal(openSealer({ folder }).seal("ann", "a", isRepeatable), sealed);
  const others = [sealer.seal("ann", "b", isRepeatable), sealer.seal("ben", "a", isRepeatable)];
  const nonceOf = (text: string) => text.slice(0, "capstan1.".length + 16);
  assert.equal(new Set([sealed, ...others].map(nonceOf)).size, 3);
  assert.deepEqual(sealer.open("ann", sealed), { status: "opened", text: "a" });
});

test("only the user can read the key's file, and a corrupt one is named", () => {
  const file = join(folder, "sealing.key");
  openSealer({ folder }).seal("ann", "");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  writeFileSync(file, "short");
  assert.throws(() => openSealer({ folder }).seal("ann", ""), { code: "sealing_key_corrupt" });
});

test("a new key seals, and the older ones still open, also after a restart and in another process", () => {
  const own = join(folder, "rotated");
  const sealer = openSealer({ folder: own });
  const old = sealer.seal("ann", "a");
  const before = openSealer({ folder: own });
  before.open("ann", old);
  sealer.rotate();
  const sealed = sealer.seal("ann", "b");
  for (const one of [sealer, before, openSealer({ folder: own })])
    for (const [text, form] of [
      ["a", old],
      ["b", sealed],
    ] as const)
      assert.deepEqual(one.open("ann", form), { status: "opened", text });
  assert.equal(statSync(join(own, "sealing.key")).mode & 0o777, 0o600);
});

test("a new secret still opens texts sealed with the previous one, or with the key file", () => {
  const [old, secret] = ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"];
  const own = join(folder, "changed");
  const ofFile = openSealer({ folder: own }).seal("ann", "a");
  const ofOld = openSealer({ folder: own, secret: old }).seal("ann", "b");
  const sealer = openSealer({ folder: own, secret, previousSecret: old });
  assert.deepEqual(sealer.open("ann", ofFile), { status: "opened", text: "a" });
  assert.deepEqual(sealer.open("ann", ofOld), { status: "opened", text: "b" });
  const alone = openSealer({ folder: join(folder, "alone"), secret });
  assert.equal(alone.open("ann", sealer.seal("ann", "c")).status, "opened");
  assert.equal(alone.open("ann", ofOld).status, "invalid");
});
