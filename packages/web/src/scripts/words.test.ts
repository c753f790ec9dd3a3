import assert from "node:assert/strict";
import { test } from "node:test";
import { fileChanges } from "./file-changes.ts";
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
  const file = (name: string, text: string | null) => ({ name, text, bytes: 9 });
  assert.deepEqual(
    fileChanges(
      [file("a", "1"), file("b", "1"), file("gone", "x")],
      [file("a", "1"), file("b", "2"), file("new", null)],
    ),
    [
      { name: "b", before: "1", after: "2" },
      { name: "gone", before: "x", after: "" },
      { name: "new", before: "", after: "(9 bytes that are not shown)" },
    ],
  );
});

test("a traceback is taken from where a script's failure has it, and from nothing else", () => {
  assert.equal(tracebackOf({ details: { traceback: "File …" } }), "File …");
  assert.equal(tracebackOf({ details: { output: "said" } }), "said");
  for (const details of [undefined, null, "text", 1, {}, { traceback: 1 }])
    assert.equal(tracebackOf({ details }), undefined);
});
