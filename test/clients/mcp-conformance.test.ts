import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type ConformanceServer, startConformanceServer } from "@capstan/server/testing";

// Runs the conformance suites of MCP against a server whose tools are fixtures behind the gate.

const folder = join(import.meta.dirname, "node_modules");
const suites = {
  "0.1.16": join(folder, "@modelcontextprotocol/conformance/dist/index.js"),
  "0.2.0-alpha.12": join(folder, "mcp-conformance-alpha/dist/index.js"),
};
const skip =
  !Object.values(suites).every(existsSync) && "the suites of test/clients could not be installed";

let server: ConformanceServer;
let results: string;

before(async () => {
  server = await startConformanceServer();
  results = await mkdtemp(join(tmpdir(), "capstan-conformance-"));
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(results, { recursive: true, force: true });
});

/** Runs a suite. Returns the number of passed checks, and the scenarios with failed checks. */
async function run(version: keyof typeof suites, ...flags: readonly string[]) {
  const args = [suites[version], "server", "--url", server.url, "-o", results, ...flags];
  const output = await new Promise<string>((resolve) => {
    // The exit code is 1 if a scenario fails; the output has the scenarios.
    execFile(process.execPath, args, { timeout: 120_000 }, (_error, stdout) => resolve(stdout));
  });
  const total = /^Total: (\d+) passed, (\d+) failed$/m.exec(output);
  assert.ok(total, output.slice(-2_000));
  const [summary = ""] = output
    .split("Not scored")
    .map((part) => part.split("=== SUMMARY ===").at(-1));
  const failed = [...summary.matchAll(/^✗ ([\w-]+):/gm)].map(([, name]) => name);
  return { passed: Number(total[1]), failed };
}

test("version 0.1.16 of the suite passes", { skip }, async () => {
  const { passed, failed } = await run("0.1.16", "--suite", "all");
  assert.deepEqual(failed, []);
  assert.ok(passed >= 40, `${passed} passed`);
});

test(
  "version 0.2.0-alpha.12 of the suite passes for the protocol 2025-11-25",
  { skip },
  async () => {
    const { passed, failed } = await run("0.2.0-alpha.12", "--requirements", "2025-11-25");
    assert.deepEqual(failed, []);
    assert.ok(passed >= 79, `${passed} passed`);
  },
);

/**
 * Scenarios of the protocol 2026-07-28 without fixtures: their tools ask the client in the course of
 * a call. `client-approval.test.ts` tests how Capstan asks.
 */
const withoutFixtures = [
  "input-required-result-basic-elicitation",
  "input-required-result-basic-list-roots",
  "input-required-result-basic-sampling",
  "input-required-result-capability-check",
  "input-required-result-multi-round",
  "input-required-result-multiple-input-requests",
  "input-required-result-non-tool-request",
  "input-required-result-request-state",
  "input-required-result-result-type",
  "input-required-result-tampered-state",
  "server-stateless",
];

/** Parts of the protocol that Capstan does not have, and that the suite does not score. */
const notScored = ["json-schema-2020-12", "http-custom-header-server-validation"];

test(
  "version 0.2.0-alpha.12 of the suite passes for the protocol 2026-07-28",
  { skip },
  async () => {
    const { passed, failed } = await run("0.2.0-alpha.12", "--requirements", "2026-07-28");
    const known = [...withoutFixtures, ...notScored];
    const other = failed.filter((name = "") => !name.startsWith("tasks-") && !known.includes(name));
    assert.deepEqual(other, []);
    assert.ok(passed >= 120, `${passed} passed`);
  },
);
