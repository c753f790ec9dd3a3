import assert from "node:assert/strict";
import { test } from "node:test";
import { fileChanges } from "./file-changes.ts";
import { withHiddenShown } from "./editor/hidden-characters.ts";
import { permissionLines } from "./permission-words.ts";
import { scriptFace } from "./script-status.ts";
import { tracebackOf } from "./traceback.ts";

test("what a file asks for is said in words, what reaches furthest first", () => {
  const lines = permissionLines({
    file: { timeoutMs: 60_000, network: ["api.example.com"], secrets: ["KEY"], effects: "read" },
    functions: { send: { executionPolicy: "auto", roots: { write: ["out"] } } },
  });
  assert.deepEqual(
    lines.map(({ of, text, isBold }) => `${isBold ? "! " : ""}${of ?? "all"}: ${text}`),
    [
      "! all: Reaches the hosts api.example.com",
      "! all: Is given the environment variables KEY",
      "! send: Reads and changes the folders out",
      "! send: Runs without asking",
      "all: Only reads, so it runs beside other calls",
      "all: Runs for up to 1 min 0 s",
    ],
  );
  assert.deepEqual(permissionLines({ file: {}, functions: {} }), []);
  const [open] = permissionLines({ file: { network: true }, functions: {} });
  assert.match(open?.text ?? "", /every public address/);
});

test("of a file the worst is said", () => {
  const said = (status: "live" | "stale" | "broken" | "unapproved", approval: "current" | "none") =>
    scriptFace({ status, approval, editable: true }).label;
  assert.equal(said("broken", "current"), "broken");
  assert.equal(said("live", "none"), "asks every time");
  assert.equal(said("live", "current"), "approved");
});

test("files that came, went or changed since an approval are told apart", () => {
  const file = (name: string, text: string | null, hash = `sha256:${text}`) => ({
    name,
    text,
    bytes: text?.length ?? 9,
    hash,
  });
  assert.deepEqual(
    fileChanges(
      [file("a", "1"), file("b", "1"), file("gone", "x")],
      [file("a", "1"), file("b", "2"), file("empty", ""), file("new", null, "sha256:n")],
    ),
    [
      { name: "b", before: "1", after: "2" },
      { name: "empty", before: "", after: "(an empty file)" },
      { name: "gone", before: "x", after: "" },
      { name: "new", before: "", after: "(9 bytes that are not shown, sha256:n)" },
    ],
  );
  const changed = fileChanges([file("big", null, "sha256:1")], [file("big", null, "sha256:2")]);
  assert.equal(changed.length, 1, "what cannot be shown and is as long as before");
  assert.notEqual(changed[0]?.before, changed[0]?.after);
});

test("what a reader would not see, or would see in another place, is shown by its number", () => {
  const hidden = "a\rb\u202Ec\u2066d\u200Be\u0000f\u{E0041}\u3164\uFE0F";
  assert.equal(
    withHiddenShown(hidden),
    "a⟨U+000D⟩b⟨U+202E⟩c⟨U+2066⟩d⟨U+200B⟩e⟨U+0000⟩f⟨U+E0041⟩⟨U+3164⟩⟨U+FE0F⟩",
  );
  const plain = "def größe(大):\r\n\treturn '👍'\n";
  assert.equal(withHiddenShown(plain), plain);
});

test("a traceback is taken from where a script's failure has it, and from nothing else", () => {
  assert.equal(tracebackOf({ details: { traceback: "File …" } }), "File …");
  assert.equal(tracebackOf({ details: { output: "said" } }), "said");
  for (const details of [undefined, null, "text", 1, {}, { traceback: 1 }])
    assert.equal(tracebackOf({ details }), undefined);
});
