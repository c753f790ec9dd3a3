import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { runCommand } from "../scripts/command.ts";
import { lintPacked } from "../scripts/packing/pack.ts";
import { withoutSourceCondition } from "../scripts/source-condition.ts";
import { findBrowser, launchBrowser } from "./browser.ts";
import { channelCases } from "./gate-cases/channel-cases.ts";
import type { Expected, GateOutcome } from "./gate-cases/gate-case.ts";
import type { ProgramOutcome } from "./gate-cases/program.ts";
import { gateCases } from "./gate-cases/run-gate-cases.ts";
import { packCore, type PackedCore } from "./packed-core.ts";
import { runInPage } from "./program-page.ts";

// Tests the library in its published form: packed, installed, bundled, and run in each of its
// environments.

const noCodeFromText = "--disallow-code-generation-from-strings";
const strictPolicy = "default-src 'none'; script-src 'self'";
const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let core: PackedCore;
let browser: Browser | undefined;

before(async () => {
  core = await packCore();
  if (skip === false) browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await core?.[Symbol.asyncDispose]();
});

test("the tarball holds the built package with its types and sources, and nothing else", async (t) => {
  const { files, size } = core.packed;
  t.diagnostic(`${files.length} files, ${Math.ceil(size / 1024)} KiB packed`);
  const others = files.filter((file) => !/^(?:dist|src)\//.test(file));
  assert.deepEqual(others.toSorted(), ["LICENSE", "README.md", "package.json"]);
  const stray = files.filter((file) => /\.test[.-]|tsbuildinfo|\/test\//.test(file));
  assert.deepEqual(stray, []);
  const modules = (folder: string, ending: string) =>
    files
      .filter((file) => file.startsWith(`${folder}/`) && file.endsWith(ending))
      .map((file) => file.slice(folder.length + 1, -ending.length))
      .toSorted();
  const sources = modules("src", ".ts");
  assert.deepEqual(modules("dist", ".js"), sources);
  assert.deepEqual(modules("dist", ".d.ts"), sources);
  assert.deepEqual(await lintPacked(core.packed), []);
});

test("only the package's entry points can be imported", async () => {
  const source = `
    const names = async (door) => Object.keys(await import(door));
    const failure = await import("@capstan/core/dist/index.js").catch(({ code }) => code);
    console.log(JSON.stringify([await names("@capstan/core"), await names("@capstan/core/testing"), failure]));
  `;
  const { code, output, stdout } = await runCommand(
    process.execPath,
    ["--input-type=module", "--eval", source],
    { cwd: core.project, env: withoutSourceCondition() },
  );
  assert.equal(code, 0, output);
  const [library, testing, failure] = JSON.parse(stdout) as [string[], string[], string];
  assert.ok(library.includes("ToolExecutor") && library.includes("runToolChain"));
  assert.ok(testing.includes("ScriptedModel") && testing.includes("FakeClock"));
  assert.equal(failure, "ERR_PACKAGE_PATH_NOT_EXPORTED");
});

test("bundled for a browser it needs no built-in of Node, nor anything else", () => {
  assert.deepEqual(core.bundle.imports, []);
  assert.doesNotMatch(core.bundle.code, /__vite-browser-external|\brequire\(|\bimport\(/);
});

for (const flags of [[], [noCodeFromText]]) {
  test(`the gate's cases have the expected outcomes in Node ${flags.join(" ")}`, async () => {
    const source = `
      const { runProgram } = await import(${JSON.stringify(core.bundle.path)});
      console.log(JSON.stringify(await runProgram()));
    `;
    const { code, output, stdout } = await runCommand(
      process.execPath,
      [...flags, "--input-type=module", "--eval", source],
      { env: withoutSourceCondition() },
    );
    assert.equal(code, 0, output);
    assertOutcomes(JSON.parse(stdout) as ProgramOutcome);
  });
}

for (const policy of [undefined, strictPolicy]) {
  test(
    `the gate's cases have the expected outcomes in Chromium under ${policy ?? "no policy"}`,
    { skip },
    async () => {
      assert.ok(browser);
      const { outcome, complaints } = await runInPage(browser, core.bundle.code, policy);
      assert.deepEqual(complaints, []);
      assertOutcomes(outcome);
    },
  );
}

test(
  "a page under that policy reports code from text, so no report means that there is none",
  { skip },
  async () => {
    assert.ok(browser);
    const program = `export const runProgram = async () => { try { new Function("1"); } catch {} };`;
    const { complaints } = await runInPage(browser, program, strictPolicy);
    assert.match(complaints.join("\n"), /script-src/);
  },
);

test("the supported JSON Schema is enforced if code must not be created from text", async () => {
  const files = [
    "packages/core/test/json-schema-suite.test.ts",
    "packages/core/src/arguments/validator.test.ts",
  ];
  const { code, output } = await runCommand(
    process.execPath,
    [noCodeFromText, "--test", "--test-isolation=none", ...files],
    { env: { NODE_TEST_CONTEXT: undefined } },
  );
  assert.equal(code, 0, output);
});

function assertOutcomes({ gate, channel }: ProgramOutcome): void {
  const wrong = gateCases.flatMap(({ name, expected }, index) => {
    const outcome = gate[index];
    const problem = outcome === undefined ? "no outcome" : difference(expected, outcome);
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
  assert.deepEqual(wrong, []);
  assert.deepEqual(
    channel,
    channelCases.map(({ expected }) => expected),
  );
}

/**
 * Returns the difference between an outcome and the expected one, or `undefined` if there is none.
 */
function difference(expected: Expected, outcome: GateOutcome): string | undefined {
  const { reads = [], readsNot = [], asked = 0, ...exact } = expected;
  try {
    assert.partialDeepStrictEqual(outcome, { ...exact, asked });
    for (const piece of reads) assert.ok(outcome.text.includes(piece), `does not say ${piece}`);
    for (const piece of readsNot) assert.ok(!outcome.text.includes(piece), `says ${piece}`);
    if (expected.ran !== undefined) assert.deepEqual(outcome.ran, expected.ran);
    return undefined;
  } catch (thrown) {
    return `${(thrown as Error).message}\n${JSON.stringify(outcome)}`;
  }
}
