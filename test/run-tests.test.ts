import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";
import { root } from "../scripts/command.ts";
import { runTestsAgain } from "../scripts/testing/run-again.ts";
import { runShards } from "../scripts/testing/run-shards.ts";
import { runTests } from "../scripts/testing/run-tests.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-run-tests-"));
});

after(() => rm(folder, { recursive: true, force: true }));

/** Runs a test file with this text. Returns its totals and its output. */
async function runText(text: string, isolation: "none" | "process", limitMs = 120_000) {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.test.mjs`);
  await writeFile(file, `import test, { describe } from "node:test";\n${text}`);
  const printed: string[] = [];
  const { totals, failures } = await runTests({
    files: [file],
    isolation,
    limitMs,
    print: (line) => printed.push(line),
  });
  return { totals, failures, file: relative(root, file), printed: printed.join("\n") };
}

const mixed = `
  test("fine", () => {});
  test("wrong", () => { throw new Error("because of this"); });
  test("not here", { skip: "no browser" }, () => {});
  describe("a suite", () => test("inside", () => { throw new Error("deep"); }));
  test("a parent", (t) => t.test("a child", () => { throw new Error("deeper"); }));
`;

for (const isolation of ["none", "process"] as const) {
  test(`isolation ${isolation}: each failure counts once, with its reason; skips name theirs`, async () => {
    const { totals, failures, file, printed } = await runText(mixed, isolation);
    assert.deepEqual(totals, { passed: 1, failed: 3, skipped: { "no browser": 1 } });
    for (const reason of ["wrong", "because of this", "deep", "deeper"]) {
      assert.ok(printed.includes(reason), reason);
    }
    assert.deepEqual(
      failures.map((failure) => [failure.file, failure.line, failure.name]),
      [
        [file, 4, "wrong"],
        [file, 6, "inside"],
        [file, 7, "a child"],
      ],
    );
    assert.match(failures[0]?.error ?? "", /^Error: because of this/);
  });

  test(`isolation ${isolation}: success prints nothing`, async () => {
    const { totals, printed } = await runText(
      'console.log("chatter"); test("fine", () => {});',
      isolation,
    );
    assert.deepEqual(totals, { passed: 1, failed: 0, skipped: {} });
    assert.equal(printed, "");
  });

  test(`isolation ${isolation}: a file that cannot be loaded is a failure`, async () => {
    const { totals, printed } = await runText('import "./missing.mjs";', isolation);
    assert.equal(totals.failed, 1);
    assert.match(printed, /missing\.mjs/);
  });
}

test("a run that does not end is a failure that says so", async () => {
  const hanging = 'test("hangs", () => new Promise(() => setInterval(() => {}, 1000)));';
  const { totals, failures, file, printed } = await runText(hanging, "none", 500);
  assert.deepEqual(
    failures.map((failure) => [failure.file, failure.name]),
    [[join(root, file), "the run was stopped"]],
  );
  assert.equal(totals.failed, 1);
  assert.match(printed, /did not end within 0\.5 s/);
});

test("in several processes each file runs once, and all results count", async () => {
  const texts = [
    'test("one", () => {});',
    'test("two", () => {}); test("no", { skip: "no reason" }, () => {});',
    'test("three", () => { throw new Error("third"); });',
  ];
  const files = await Promise.all(
    texts.map(async (text, index) => {
      const file = join(folder, `shard-${index}.test.mjs`);
      await writeFile(file, `import test from "node:test";\n${text}`);
      return file;
    }),
  );
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  for (const shards of [1, 2, 5]) {
    const run = { files, isolation: "none", limitMs: 120_000, print } as const;
    const { totals, byFile, msByFile, failures, isWhole } = await runShards(run, shards);
    assert.deepEqual(totals, { passed: 2, failed: 1, skipped: { "no reason": 1 } });
    assert.equal(Object.keys(byFile).length, 3);
    assert.equal(Object.keys(msByFile).length, 3);
    assert.deepEqual(
      failures.map(({ name }) => name),
      ["three"],
    );
    assert.ok(isWhole);
    assert.match(printed.splice(0).join(""), /third/);
  }
});

/** Runs files with these texts like the whole suite. A text can query how often it ran. */
async function runAgain(texts: readonly string[], limitMs = 120_000) {
  const files = await Promise.all(
    texts.map(async (text) => {
      const file = join(folder, `${Math.random().toString(36).slice(2)}.test.mjs`);
      const count = `
        import { appendFileSync, readFileSync } from "node:fs";
        appendFileSync(${JSON.stringify(`${file}.runs`)}, "x");
        const runs = readFileSync(${JSON.stringify(`${file}.runs`)}, "utf8").length;
      `;
      await writeFile(file, `import test from "node:test";\n${count}\n${text}`);
      return relative(root, file);
    }),
  );
  const printed: string[] = [];
  const result = await runTestsAgain({
    files,
    isolation: "process",
    limitMs,
    print: (line) => printed.push(line),
  });
  const runs = files.map((file) => {
    const path = join(root, `${file}.runs`);
    return existsSync(path) ? readFileSync(path, "utf8").length : 0;
  });
  return { ...result, files, runs, printed: printed.join("\n") };
}

const fine = 'test("fine", () => {});';
const failsOnce = `
  test("another one", () => {});
  test("chance", () => { if (runs === 1) throw new Error("the first time"); });
`;
const failsAlways = 'test("wrong", () => { throw new Error(`time ${runs}`); });';

test("a file that passes when it is run again is flaky: its failure is printed in full, and it does not fail the run", async () => {
  const { totals, failures, flaky, files, runs, printed } = await runAgain([fine, failsOnce]);
  assert.deepEqual(failures, [], "a flaky test is not listed as failed");
  assert.deepEqual(totals, { passed: 3, failed: 0, skipped: {} });
  assert.deepEqual(flaky, [files[1]]);
  assert.deepEqual(runs, [1, 2], "a passed test is not run again");
  assert.match(printed, /✖ chance\n[^]*the first time[^]*is flaky/);
});

test("a file that fails twice fails the run, and both failures are printed", async () => {
  const { totals, failures, flaky, files, runs, printed } = await runAgain([
    failsAlways,
    failsOnce,
  ]);
  assert.deepEqual(
    failures.map(({ file, name }) => [file, name]),
    [[files[0], "wrong"]],
  );
  assert.deepEqual(totals, { passed: 2, failed: 1, skipped: {} });
  assert.deepEqual(flaky, [files[1]]);
  assert.deepEqual(runs, [2, 2]);
  assert.match(printed, /time 1[^]*time 2/);
});

test("a file that cannot be loaded fails the run", async () => {
  const { totals, flaky } = await runAgain(['await import("./missing.mjs");']);
  assert.deepEqual([totals.failed, flaky], [1, []]);
});

test("if many files fail, none is run again", async () => {
  const { totals, flaky, runs } = await runAgain(Array.from({ length: 6 }, () => failsOnce));
  assert.deepEqual([totals.failed, flaky], [6, []]);
  assert.deepEqual(runs, [1, 1, 1, 1, 1, 1]);
});

test("an interrupted run is not run again", async () => {
  const hanging = 'test("hangs", () => new Promise(() => setInterval(() => {}, 1000)));';
  const { totals, flaky, runs } = await runAgain([hanging, failsOnce], 5_000);
  assert.ok(totals.failed >= 1);
  assert.deepEqual(flaky, []);
  assert.ok(runs.every((times) => times <= 1));
});
