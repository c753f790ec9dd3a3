import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../scripts/command.ts";
import { inOrder, startUpstream } from "./upstream.ts";

const run = promisify(execFile);

test("the library example requests an approval, runs its tool and prints the answer", async () => {
  const { stdout } = await run(process.execPath, ["examples/library.ts"]);
  assert.match(stdout, /May Weather run with \{"town":"Bergen"\}\?/);
  assert.match(stdout, /success in \d+ ms/);
  assert.match(stdout, /clear/);
  assert.match(stdout, /Stored as: Weather_1/);
});

test("the tools of the guide behave as described", async () => {
  const { stdout } = await run(process.execPath, ["examples/write-a-tool.ts"]);
  const lines = stdout.trimEnd().split("\n");
  const expected = [
    /^FindBoat: success: \{"name":"Anna","metres":12,"berth":3\}$/,
    /^FindBoat: error: Error \(boat_not_found\): There is no boat Cato in this harbour\. Call ListBoats/,
    /^FindBoat: error: .*name is required; did you write it as nam\?/,
    /^ListBoats: success: name,metres,berth \| Anna,12,3$/,
    /^asked: MoveBoat \{"name":"Anna","berth":4\}, or MoveBoat: moves of Anna$/,
    /^MoveBoat: success: Anna is now at berth 4\.$/,
    /^MoveBoat: execution_rejected: .*the tool forbids it for these arguments/,
    /^DrawHarbour: success: 2 boats: \| \[image image\/svg\+xml\] \| \[The map\]/,
    /^SoundDepth: success: \{"3":4,"4":3\}$/,
    /^asked: MoveBoat \{"name":"Bris","berth":4\}/,
    /^SwapBoats: success: \["success","success"\]$/,
    /^ReadManifest: success: 12 barrels$/,
    /^HarbourNews: success: The tide is high at noon\.$/,
    /^NearestHarbour: success: \{"city":"Bergen","for":"local"\}$/,
    /^LogVisit: success: written$/,
    /^CountCrew: success: 4$/,
    /^answer: Anna is at berth 7\.$/,
    /^- Announce .*"Anna is at berth 7\."$/,
  ];
  for (const [index, line] of expected.entries()) assert.match(lines[index] ?? "", line);
  assert.equal(lines.length, expected.length);
});

test("the guide to writing tools contains the code of its example, with every tool", async () => {
  const guide = await readFile(join(root, "docs/guides/write-a-tool.md"), "utf8");
  const example = await readFile(join(root, "examples/write-a-tool.ts"), "utf8");
  const blocks = [...guide.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  assert.ok(blocks.length > 10);
  for (const code of blocks) assert.ok(example.includes(code), `The example lacks:\n${code}`);
  for (const [, name = ""] of example.matchAll(/^const (\w+) = defineTool/gm))
    assert.ok(guide.includes(`const ${name} = `), `The guide lacks ${name}`);
});

test("values pass by reference as the guide describes", async () => {
  const { stdout } = await run(process.execPath, ["examples/pass-values-by-reference.ts"]);
  const lines = stdout.trimEnd().split("\n");
  const expected = [
    /^ReadLog: day 1: .*Read on: ReadVar\(\{"name":"ReadLog_1","start":\d+,"length":8000\}\)/,
    /^CountWords: 7000$/,
    /^CountWords: 9$/,
    /^CountWords: 8$/,
    /^LastOf: day 1000: wind from the west ⛵$/,
    /^CountWords: 4$/,
    /^CountWords: Error \(variable_not_found\): .*Did you mean ReadLog_1\?$/,
    /^ReadVar: .*Read on with ReadVar\(\{"name":"ReadLog_1","start":67\}\)/,
    /^ReadVar: day 1000: wind from the west ⛵$/,
    /^WriteVar: Created draft/,
    /^ListVars: 1 variable, .*- draft \(LLMAdd, 10 characters\); tags: letter$/,
    /^RemoveVars: Removed 1 variable: draft\.$/,
    /^CountWords: 2$/,
    /^ReadVar: Days begin at noon\./,
    /^true$/,
    /^pasted: 1201 words$/,
    /^restored: rope, tar$/,
    /^in the fork only: true$/,
  ];
  for (const [index, line] of expected.entries()) assert.match(lines[index] ?? "", line);
  assert.equal(lines.length, expected.length);
});

test("the guide to references contains the code of its example", async () => {
  const guide = await readFile(join(root, "docs/guides/pass-values-by-reference.md"), "utf8");
  const example = await readFile(join(root, "examples/pass-values-by-reference.ts"), "utf8");
  const blocks = [...guide.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  assert.ok(blocks.length >= 9);
  for (const code of blocks) assert.ok(example.includes(code), `The example lacks:\n${code}`);
});

test("calls that need approval request it as the guide describes", async () => {
  const { stdout } = await run(process.execPath, ["examples/ask-before-it-runs.ts"]);
  const lines = stdout.trimEnd().split("\n");
  const expected = [
    /^ReadFile secrets\/\.\.\/secrets\/key: execution_rejected: .*This folder is private\. It was/,
    /^WriteFile \/etc\/hosts: execution_rejected: .*the tool forbids it/,
    /^WriteFile drafts\/a\.md: success/,
    /^approve WriteFile "log\/monday\.md" \| This tool requires approval the first time\. \| WriteFile: files in log$/,
    /^WriteFile log\/monday\.md: success/,
    /^approve WriteFile "log\/tuesday\.md"/,
    /^invalid: arguments: /,
    /^WriteFile log\/tuesday\.md: success: \[A user changed the arguments/,
    /^approve WriteFile "log\/rumours\.md"/,
    /^WriteFile log\/rumours\.md: execution_rejected: The user denied this call: Log only what you observed\. It/,
    /^WriteFile log\/rumours\.md: execution_rejected: .*the rejection applies until a user revokes it/,
    /^approve WriteFile "notes\/sail\.md"/,
    /^WriteFile notes\/(sail|mast)\.md: success/,
    /^WriteFile notes\/(sail|mast)\.md: success/,
    /^approve WriteFile "published\/index\.md" \| An administrator's rule requires approval every time: Published pages are public immediately. \| this call only$/,
    /^WriteFile published\/index\.md: execution_rejected: .*the window was closed/,
    /^allow: WriteFile with exactly these arguments, by local$/,
    /^refuse: WriteFile with exactly these arguments, by local$/,
    /^allow: WriteFile where path matches notes\/\*\.md, by local$/,
    /^approve WriteFile "notes\/keel\.md"/,
    /^WriteFile notes\/keel\.md: execution_rejected: The user denied/,
    /^approve WriteFile "log\/wednesday\.md"/,
    /^answer: It is in the log\.$/,
    /^rule: when\.path\.glbo: is not a known field\. Did you mean glob\?$/,
  ];
  for (const [index, line] of expected.entries()) assert.match(lines[index] ?? "", line);
  assert.equal(lines.length, expected.length);
});

test("the guide to approvals contains the code of its example", async () => {
  const guide = await readFile(join(root, "docs/guides/ask-before-it-runs.md"), "utf8");
  const example = await readFile(join(root, "examples/ask-before-it-runs.ts"), "utf8");
  const blocks = [...guide.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  assert.ok(blocks.length >= 9);
  for (const code of blocks) assert.ok(example.includes(code), `The example lacks:\n${code}`);
});

const loopOutput = [
  /^calls Trains \{"from":"Oslo","to":"Bergen"\}\nsuccess: .*07:30/m,
  /^calls Book \{"number":61\}\nrequires_action, waiting for 1\ncompleted after 3 rounds$/m,
  /^round 1: Trains success in \d+ ms\nround 2: Book success in \d+ ms$/m,
  /^aborted: the user pressed stop\ncompleted: /m,
];

test("the loop's example waits for approval and continues from JSON, with the offline model", async () => {
  const { CAPSTAN_MODEL_URL: _url, ...env } = process.env;
  const { stdout } = await run(process.execPath, ["examples/run-the-loop.ts"], { env });
  assert.match(stdout, /^Model: capstan\/offline$/m);
  for (const line of loopOutput) assert.match(stdout, line);
  // The tool ran once, although two executors had the run.
  assert.match(stdout, /"seat":"1A"/);
});

test("the loop's example runs with any OpenAI-compatible server, named by a flag or a variable", async () => {
  for (const by of ["flag", "variable"] as const) {
    await using upstream = await startUpstream(
      inOrder(
        { calls: [{ name: "Trains", arguments: '{"from":"Oslo","to":"Bergen"}' }] },
        { calls: [{ name: "Book", arguments: '{"number":61}' }] },
        { say: ["You leave ", "at 07:30."] },
        { say: ["A good journey!"] },
      ),
    );
    const { CAPSTAN_MODEL_URL: _url, ...own } = process.env;
    const args = by === "flag" ? [upstream.url, "scripted"] : [];
    const env = by === "flag" ? own : { ...own, ...upstream.environment };
    const { stdout } = await run(process.execPath, ["examples/run-the-loop.ts", ...args], { env });
    assert.match(stdout, /^Model: custom\/scripted$/m);
    for (const line of loopOutput) assert.match(stdout, line);
    assert.match(stdout, /You leave at 07:30\.$/m);
    assert.match(stdout, /^completed: A good journey!$/m);
    assert.equal(upstream.requests.length, 4);
    const said = upstream.requests[2]?.messages.findLast(({ role }) => role === "tool");
    assert.match(String(said?.content), /"seat":"1A"/);
  }
});
