import assert from "node:assert/strict";
import { test } from "node:test";
import { permissionLines } from "./permission-lines.ts";

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
