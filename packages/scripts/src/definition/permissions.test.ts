import assert from "node:assert/strict";
import { test } from "node:test";
import type { RawPermissions } from "./parsed-file.ts";
import { permissionsOf, readPermissions } from "./permissions.ts";

const read = (file: RawPermissions, functions: { readonly [name: string]: RawPermissions } = {}) =>
  readPermissions({ declared: { file, functions }, problems: [] });

// Contract: scripts-31
test("permissions of a function override those of its file", () => {
  const { declared, problems } = read(
    { executionPolicy: "auto", network: true },
    { f: { executionPolicy: "ask-always" } },
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(permissionsOf(declared, "f"), { executionPolicy: "ask-always", network: true });
  assert.deepEqual(permissionsOf(declared, "toString"), { executionPolicy: "auto", network: true });
});

// Contract: scripts-66
test("an invalid policy is an error, and the script asks", () => {
  const { declared, problems } = read({ executionPolicy: "atuo", resultApprovalPolicy: 1 });
  assert.deepEqual(declared.file, {
    executionPolicy: "ask-always",
    resultApprovalPolicy: "always",
  });
  assert.deepEqual(
    problems.map(({ message }) => message),
    [
      'TOOL_CONFIG: executionPolicy is "atuo", expected auto, ask-once, ask-always or deny.',
      "TOOL_CONFIG: resultApprovalPolicy is 1, expected never, on-error or always.",
    ],
  );
});

test("other invalid values declare nothing, and unknown keys are reported with the nearest valid one", () => {
  const { declared, problems } = read({
    netwrok: true,
    network: ["http://a.example/"],
    timeoutMs: 0,
    secrets: "KEY",
    roots: { raed: ["x"] },
  });
  assert.deepEqual(declared.file, {});
  assert.deepEqual(
    problems.map(({ severity }) => severity),
    ["warning", "error", "error", "error", "error"],
  );
  assert.match(problems[0]?.message ?? "", /Did you mean network\?/);
  const hosts = { network: ["api.example.com", "10.0.0.5:8080"] };
  assert.deepEqual(read(hosts).declared.file, hosts);
});
