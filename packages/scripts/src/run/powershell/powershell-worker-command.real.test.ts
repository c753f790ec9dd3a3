// Runs with a real PowerShell, if there is one.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isToolError, type JsonObject } from "@capstan/core";
import { isContentParts } from "@capstan/core/host";
import { fakeContext } from "@capstan/core/testing";
import { realPowerShell } from "../../testing/real-powershell.ts";
import { testFolder } from "@capstan/sandbox/testing";
import { scriptGroup } from "../../library/script-group.ts";
import { checkContext } from "../../testing/check-context.ts";
import { runFunction, scriptFile, testRunner } from "../../testing/run-script.ts";
import { parsePowerShell } from "../../read/powershell/parse-powershell.ts";
import type { Script } from "../../definition/script-function.ts";

const found = await realPowerShell();
const folder = testFolder();
const runner = testRunner({ powershell: () => Promise.resolve(found) });

const source = `
Write-Host 'loaded'
$script:Count = 0
function Get-Back {
    param([string] $Text, [int] $Number = 2, [string[]] $List, [hashtable] $Table, [switch] $Fast, [datetime] $When)
    @{ text = $Text; number = $Number; list = $List; table = $Table; fast = $Fast; year = $When.Year }
}
function Get-Values {
    [pscustomobject] @{
        big = 9007199254740993; nan = [double]::NaN; half = 0.5; price = 1.10d; bytes = [byte[]] (1, 2)
        day = [datetime]::new(2024, 5, 6, 0, 0, 0, [System.DateTimeKind]::Utc); none = $null; day2 = [System.DayOfWeek]::Monday
        empty = @(); one = @(1); nested = @(@(1, 2), @()); span = [timespan]::FromSeconds(90); Keys = 'k'
    }
}
function Get-Nothing { }
function Get-Many { 1; 'two'; $null; @{ n = 3 } }
function Get-Loop { $a = @{}; $a['a'] = $a; $a }
function Get-Said {
    Write-Host 'host'; Write-Host 'no ' -NoNewline; Write-Host 'line'
    Write-Verbose 'verbose'; Write-Warning 'warning'; Write-Information 'information'
    Write-Progress -Activity 'Work' -Status 'half' -PercentComplete 50
    [Console]::WriteLine('console')
    'result'
}
function Get-Failure { param($Name) throw "There is no boat $Name." }
function Get-Error { Write-Error 'not terminating'; 'continued' }
function Get-Count { $script:Count++; $script:Count }
function Get-File { Get-Item "$PSScriptRoot/_dot.png" }
function Get-Described { param($Name) @{ name = $Name } }
function Format-Get-Described { param($Result, $Arguments) "$($Result.name) as $($Arguments.Name)" }
function Use-Context { param($Context) $Context.Progress('begun', 1, 2); $Context.Variable('Fetch_1') }
function Show-Context {
    param($Context)
    $Context.Write('written')
    $Context.Event('web_search.searching', @{ query = 'q' })
    $Context.Cite(@{ type = 'url_citation'; url = 'https://a.example/' })
    $files = @(foreach ($one in $Context.Files) { , @($one.Name, $one.ReadAllText()) })
    @{ user = $Context.User; request = $Context.Request; tool = $Context.Tool; files = $files }
}
function Use-Workspace {
    param($Context)
    $folder = $Context.Workspace()
    $text = [System.IO.File]::ReadAllText("$folder/a.txt")
    [System.IO.File]::WriteAllText("$env:WORKSPACE/made.txt", "$text again")
    'written'
}
function Get-Environment { Get-ChildItem env: | ForEach-Object { $_.Name } }
`;

async function script(): Promise<Script> {
  const [parsed] = await parsePowerShell([new TextEncoder().encode(source)]);
  const made = scriptFile(join(folder, "boats.ps1"), source, { "_dot.png": "PNG" });
  return { ...made, language: "powershell", groupId: "boats", functions: parsed?.functions ?? [] };
}

async function call(name: string, args: JsonObject = {}) {
  let printed = "";
  const context = fakeContext();
  context.variables.addVariable("Fetch_1", "fetched", "USER_ADD");
  const output = { ...context.output, write: (text: string) => void (printed += text) };
  const result = await runFunction(runner, await script(), name, args, { ...context, output });
  return { ...result, printed, progress: context.progress };
}

const skip = found.status === "missing" ? found.message : false;
describe("a function of a PowerShell script", () => {
  // Contract: files-12
  test("reads and writes the conversation's files in its workspace", { skip }, async () => {
    const file = {
      name: "a.txt",
      mimeType: "text/plain",
      read: async () => Buffer.from("once"),
      async *stream() {
        yield Buffer.from("once");
      },
    };
    const context = { ...fakeContext(), files: [file] };
    const { value } = await runFunction(runner, await script(), "Use-Workspace", {}, context);
    assert.ok(isContentParts(value), JSON.stringify(value));
    const [said, made] = value.parts;
    assert.equal(said?.type === "text" && said.text, "written");
    assert.ok(made?.type === "file" && made.source.type === "base64");
    assert.equal(Buffer.from(made.source.data, "base64").toString(), "once again");
  });

  // Contract: scripts-44
  test("converts its arguments to its parameters' types and returns data", { skip }, async () => {
    const args = { Text: "2024-05-06T07:08:09Z é", List: ["a"], Table: { a: [1, { b: null }] } };
    const { value } = await call("Get-Back", { ...args, Fast: true, When: "2024-05-06" });
    assert.deepEqual(value, {
      text: args.Text,
      number: 2,
      list: ["a"],
      table: { a: [1, { b: null }] },
      fast: true,
      year: 2024,
    });
  });

  // Contract: scripts-45
  test("returns values that JSON does not have without losing them", { skip }, async () => {
    assert.deepEqual((await call("Get-Values")).value, {
      big: "9007199254740993",
      nan: "NaN",
      half: 0.5,
      price: "1.10",
      bytes: { base64: "AQI=" },
      day: "2024-05-06T00:00:00.0000000Z",
      none: null,
      day2: "Monday",
      empty: [],
      one: [1],
      nested: [[1, 2], []],
      span: 90,
      Keys: "k",
    });
    assert.equal((await call("Get-Nothing")).value, null);
    assert.deepEqual((await call("Get-Many")).value, [1, "two", null, { n: 3 }]);
    const error = (await call("Get-Loop")).value;
    assert.match(isToolError(error) ? error.message : "", /contains itself/);
  });

  // Contract: scripts-46
  test("streams its output while it runs, and none of it is in the result", { skip }, async () => {
    const { value, printed, progress } = await call("Get-Said");
    assert.equal(value, "result");
    for (const line of [
      "loaded",
      "host",
      "no line",
      "VERBOSE: verbose",
      "WARNING: warning",
      "information",
      "console",
    ])
      assert.ok(printed.includes(`${line}\n`), line);
    assert.deepEqual(progress, [{ message: "Work: half", done: 50, total: 100 }]);
  });

  // Contract: scripts-47
  test(
    "that throws reports the message and line, and to the user the stack; so does an error after which it continues",
    { skip },
    async () => {
      const error = (await call("Get-Failure", { Name: "Bo" })).value;
      assert.ok(isToolError(error));
      assert.match(
        error.message,
        /^RuntimeException: There is no boat Bo\. \(boats\.ps1, line \d+\)$/,
      );
      assert.match(JSON.stringify(error.details), /Get-Failure/);
      assert.doesNotMatch(JSON.stringify(error.details), /worker\.ps1/);
      assert.ok(isToolError((await call("Get-Error")).value));
    },
  );

  // Contract: scripts-49
  test("shares nothing with another call", { skip }, async () => {
    assert.equal((await call("Get-Count")).value, 1);
    assert.equal((await call("Get-Count")).value, 1);
  });

  // Contract: scripts-48
  test(
    "returns files, formats its result, and has a context and no environment",
    { skip },
    async () => {
      const file = (await call("Get-File")).value;
      assert.ok(isContentParts(file) && file.parts[0]?.type === "image");
      assert.equal((await call("Get-Described", { Name: "Bo" })).formattedText, "Bo as Bo");
      const { value, progress } = await call("Use-Context");
      assert.equal(value, "fetched");
      assert.deepEqual(progress, [{ message: "begun", done: 1, total: 2 }]);
      process.env["CAPSTAN_TEST_SECRET"] = "x";
      const names = (await call("Get-Environment")).value as readonly string[];
      delete process.env["CAPSTAN_TEST_SECRET"];
      assert.ok(!names.includes("CAPSTAN_TEST_SECRET"));
    },
  );

  // Contract: scripts-50
  test("reports the line if PowerShell cannot read its script", { skip }, async () => {
    const broken = scriptFile(join(folder, "broken.ps1"), "function Get-X {\n  if (\n}");
    const one = {
      ...broken,
      language: "powershell" as const,
      functions: (await script()).functions,
    };
    const { value } = await runFunction(runner, one, "Get-Nothing");
    assert.ok(isToolError(value) && value.code === "script_not_loaded", JSON.stringify(value));
  });
});

// Contract: scripts-81, scripts-82
test(
  "a PowerShell function has its user, request, tool and files, and writes, reports and cites",
  { skip },
  async () => {
    const approved = { file: { executionPolicy: "auto" as const }, functions: {} };
    await checkContext(scriptGroup(await script(), { run: runner.run, approved }), "Show-Context");
  },
);
