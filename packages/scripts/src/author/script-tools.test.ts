import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { ToolExecutor } from "@capstan/core";
import { languageParsers } from "../read/language-parsers.ts";
import { skip } from "../testing/python-reader.ts";
import { scriptTools } from "./script-tools.ts";
import { writeATool } from "./write-a-tool-rule.ts";

interface Checked {
  readonly tools: readonly { readonly name: string; readonly hasFormat: boolean }[];
  readonly declared: { readonly file: object };
  readonly problems: readonly { readonly message: string; readonly line?: number }[];
}

const executor = new ToolExecutor();
executor.registerToolGroup(scriptTools({ parsers: languageParsers() }));
executor.toggleGroupEnabled("scripts", true);

async function check(language: string, source: string): Promise<Checked> {
  const result = await executor.execute("CheckScript", { language, source });
  assert.ok(result.status === "success", result.status === "pending" ? "asked" : result.finalText);
  return result.data as Checked;
}

const blocks = [...writeATool.matchAll(/```(python|powershell)\n([^]*?)```/g)].map(
  ([, language = "", source = ""]) => ({ language, source }),
);

// Contract: scripts-71
test("the rule is in the index and is read like any other", () => {
  assert.match(executor.toolRules(), /Rule\/scripts\/WriteATool/);
  assert.equal(executor.variables.getVariable("Rule/scripts/WriteATool")?.value.text, writeATool);
});

// Contract: scripts-71
test(
  "the rule's example is read without problems and with the described result",
  { skip },
  async () => {
    assert.equal(blocks.length, 3);
    const [python, powershell, config] = await Promise.all(
      blocks.map(({ language, source }) => check(language, source)),
    );
    for (const checked of [python, powershell, config]) assert.deepEqual(checked?.problems, []);
    assert.deepEqual(
      python?.tools.map(({ name, hasFormat }) => [name, hasFormat]),
      [["forecast", true]],
    );
    assert.deepEqual(
      powershell?.tools.map(({ name, hasFormat }) => [name, hasFormat]),
      [["Get-Forecast", true]],
    );
    assert.deepEqual(Object.keys(config?.declared.file ?? {}), [
      "network",
      "secrets",
      "roots",
      "timeoutMs",
    ]);
  },
);

test("problems are reported with their line, and nothing is run", { skip }, async () => {
  const { tools, problems } = await check("python", "def f(:\n");
  assert.deepEqual([tools.length, problems[0]?.line], [0, 1]);
  const { tools: quiet } = await check("python", 'raise SystemExit(1)\ndef f(): "Does."\n');
  assert.equal(quiet.length, 1);
});

for (const name of ["harbour.py", "harbour.ps1"])
  test(`the example ${name} has no problems`, { skip }, async () => {
    const path = new URL(`../../../../examples/tools/${name}`, import.meta.url);
    const language = name.endsWith(".py") ? "python" : "powershell";
    const { tools, problems } = await check(language, await readFile(path, "utf8"));
    assert.deepEqual(problems, []);
    assert.ok(tools.length >= 2);
  });
