// Compares the outlines with PowerShell's own parser, if it was built.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { powershellParser } from "../../testing/real-powershell.ts";
import { powershellFile } from "../../testing/powershell-file.ts";
import { type Outline, scanOutline, typeName, withoutScope } from "./outline.ts";

const parse = powershellParser();
const skip = parse === undefined ? "PowerShell was not built, because there is no .NET SDK" : false;

/**
 * Asserts that the scanner and PowerShell read valid sources equally. Returns the number of valid
 * sources.
 */
async function agrees(sources: readonly string[]): Promise<number> {
  const parsed = (await parse?.(sources)) ?? [];
  assert.equal(parsed.length, sources.length);
  let valid = 0;
  for (const [index, source] of sources.entries()) {
    const { errors = [], ...real } = parsed[index] ?? { comments: [], functions: [] };
    if (errors.length > 0) continue;
    valid++;
    assert.deepEqual(scanOutline(source), normal(real), source);
  }
  return valid;
}

/** Removes the scope of names and the white space of types, which PowerShell's parser keeps. */
function normal({ comments, functions }: Omit<Outline, "unclosed">): Outline {
  const attributes = (all: Outline["functions"][number]["attributes"]) =>
    all.map((one) => ({
      name: typeName(one.name),
      ...(one.arguments !== undefined && { arguments: one.arguments.trim() }),
    }));
  return {
    comments,
    functions: functions.map((one) => ({
      ...one,
      name: withoutScope(one.name),
      attributes: attributes(one.attributes),
      parameters: one.parameters.map(({ default: given, ...parameter }) => ({
        ...parameter,
        attributes: attributes(parameter.attributes),
        ...(given != null && { default: given }),
      })),
    })),
    unclosed: [],
  };
}

// Contract: scripts-41
test(
  "PowerShell and the scanner read the same functions in generated files",
  { skip },
  async () => {
    const sources = fc.sample(powershellFile, 400);
    const valid = await agrees(sources);
    assert.ok(valid > 100, `PowerShell accepts only ${valid} of ${sources.length} files`);
  },
);

// Contract: scripts-41
test("PowerShell and the scanner agree about syntax of all kinds", { skip }, async () => {
  const sources = [
    "filter Pass { $_ }\nfunction A { param([Parameter(Mandatory=1)] $B) $B }",
    "function A { param([int]$x = 1) $x ?? 3 }\nfunction B { $a?.b; ${a}?.b; $x ? 1 : 2; $a ??= 1 }",
    "function A { Get-A && Get-B || Get-C }\nworkflow-like\nfunction B() { }",
    "function A { process { $_ } }\nfunction B { begin { 1 } end { param } }",
    'param($File)\nfunction A($x, [string] $y = "a $(1 + 2) }") { "$x}" }',
    "using namespace System.IO\nclass C { [int] $n; C() { } [void] Do() { function Inner { } } }\nfunction A { }",
    "enum E { A; B }\nfunction global:A { [CmdletBinding()] [OutputType([int])] param() 1 }",
    "function A {\n  <#\n  .SYNOPSIS x\n  #>\n  param(\n    # a comment\n    [switch] $S\n  )\n}",
    "$x = @\"\nfunction NotOne { }\n\"@\nfunction A { @'\n}\n'@ }",
    "function A { [regex]::Matches('a', '[{]') } # }\nfunction B { echo a`{b }",
    "if ($true) { function Nested { } }\nfunction A { }",
    "function A { param([ValidateScript({ $_ -gt 1 })] [int] $N = (1, 2)[0], $M = { param($q) $q }) }",
    "function Get-Ünïcode { param($Größe = 'é') }",
    "function A { $h = @{ 'a' = 1; b = @(1; 2) }; $h.a; $x[0] } function B { }",
    "function A { & 'x' --% a } {\n }\nfunction B { }",
    "function A { foo`\n bar `} }\nfunction B { }",
    readFileSync(new URL("../../run/powershell/worker.ps1", import.meta.url), "utf8"),
  ];
  assert.equal(await agrees(sources), sources.length);
});

test(
  "files that PowerShell rejects because of brackets or strings are rejected",
  { skip },
  async () => {
    const sources = [
      "function A {",
      "function A { param(",
      "function A { 'text }",
      "function A { echo a{b }",
      "$x = @'\nnever",
      "<# never",
    ];
    const parsed = (await parse?.(sources)) ?? [];
    for (const [index, source] of sources.entries()) {
      assert.notDeepEqual(parsed[index]?.errors, [], source);
      assert.notDeepEqual(scanOutline(source).unclosed, [], source);
    }
  },
);
