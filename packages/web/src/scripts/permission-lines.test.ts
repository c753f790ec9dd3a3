import assert from "node:assert/strict";
import { test } from "node:test";
import { permissionLines } from "./permission-lines.ts";

test("requested permissions are described, the widest first", () => {
  const lines = permissionLines({
    file: { timeoutMs: 60_000, network: ["api.example.com"], secrets: ["KEY"], effects: "read" },
    functions: { send: { executionPolicy: "auto", roots: { write: ["out"] } } },
  });
  assert.deepEqual(
    lines.map(({ of, text, isBold }) => `${isBold ? "! " : ""}${of ?? "all"}: ${text}`),
    [
      "! all: Can reach the hosts api.example.com",
      "! all: Gets the environment variables KEY",
      "! send: Reads and changes the folders out",
      "! send: Runs without approval",
      "all: Only reads, so it runs in parallel with other calls",
      "all: Runs for up to 1 min 0 s",
    ],
  );
  assert.deepEqual(permissionLines({ file: {}, functions: {} }), []);
  const [open] = permissionLines({ file: { network: true }, functions: {} });
  assert.match(open?.text ?? "", /every public address/);
});
