import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runTests } from "../scripts/testing/run-tests.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-run-tests-"));
});

after(() => rm(folder, { recursive: true, force: true }));

/** Runs a test file of this text; gives its totals and what was printed. */
async function runText(text: string, isolation: "none" | "process", limitMs = 120_000) {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.test.mjs`);
  await writeFile(file, `import test, { describe } from "node:test";\n${text}`);
  const printed: string[] = [];
  const totals = await runTests({
    files: [file],
    isolation,
    limitMs,
    print: (line) => printed.push(line),
  });
  return { totals, printed: printed.join("\n") };
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
    const { totals, printed } = await runText(mixed, isolation);
    assert.deepEqual(totals, { passed: 1, failed: 3, skipped: { "no browser": 1 } });
    for (const reason of ["wrong", "because of this", "deep", "deeper"]) {
      assert.ok(printed.includes(reason), reason);
    }
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
  const { totals, printed } = await runText(hanging, "none", 500);
  assert.equal(totals.failed, 1);
  assert.match(printed, /did not end within 0\.5 s/);
});
