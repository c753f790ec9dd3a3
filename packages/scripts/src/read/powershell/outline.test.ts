import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scanOutline } from "./outline.ts";
import { powershellFile } from "../../testing/powershell-file.ts";
import { loadTreeReader } from "../../testing/tree-outline.ts";

const readTree = await loadTreeReader();

/** Both readers must agree about everything that both understand. */
function agreed(source: string) {
  const scanned = scanOutline(source);
  assert.deepEqual(scanned.unclosed, [], source);
  const tree = readTree(source);
  if (tree !== undefined) assert.deepEqual(scanned, tree, source);
  return scanned;
}

// Contract: scripts-41
test("grammar and scanner find the same functions, whatever is in and around them", () => {
  const source = `<# .SYNOPSIS
file #>
using namespace System.IO
# TOOL_CONFIG: {"a": {"b": 1}}
$x = "text with } and $(Get-It "}" ) inside"
function Get-One {
    [CmdletBinding(DefaultParameterSetName = 'a')]
    param(
        [Parameter(Mandatory = $true, HelpMessage = 'a, "b" ]')]
        [ValidateSet('a', "b")] [string] $City = 'x', # trailing, comment
        [int[]]
        $Days = @(1, 2), <# inline #>
        [System.Collections.Generic.Dictionary[string, int]] $Map = @{ a = 1 },
        $Last
    )
    function Inner { param($No) }
    if ($true) { "}" }
    @'
function InText { param($x) }
'@
}
filter Pass { $_ }
function script:Two($a, [int]$b = 2) { $a }
`;
  const { functions } = agreed(source);
  assert.ok(readTree(source) !== undefined, "the grammar accepts all of it");
  assert.deepEqual(
    functions.map(({ name, parameters }) => [name, parameters.map((one) => one.name)]),
    [
      ["Get-One", ["City", "Days", "Map", "Last"]],
      ["Two", ["a", "b"]],
    ],
  );
  assert.deepEqual(functions[0]?.parameters[0]?.attributes, [
    { name: "Parameter", arguments: `Mandatory = $true, HelpMessage = 'a, "b" ]'` },
    { name: "ValidateSet", arguments: `'a', "b"` },
    { name: "string" },
  ]);
  assert.equal(functions[0]?.parameters[2]?.default, "@{ a = 1 }");
});

// Contract: scripts-41
test("syntax that the grammar does not know is read, too", () => {
  for (const body of ["$x = $a ?? 3", "$a?.b", "$x ? 1 : 2", "$a ??= 1", "Get-A && Get-B"]) {
    const { functions } = scanOutline(`function A { param([int]$x = 1) ${body} }\nfunction B { }`);
    assert.deepEqual(
      functions.map(({ name, parameters }) => [name, parameters.length]),
      [
        ["A", 1],
        ["B", 0],
      ],
      body,
    );
  }
});

test("an unclosed bracket or string is reported with its position, and reading always ends", () => {
  for (const [source, what, at] of [
    ["function A { param(", "A {", 11],
    ["function A { 'text }", "A string", 13],
    ["$x = @'\nnever", "A here-string", 5],
    ["<# never", "A comment", 0],
  ] as const) {
    const { unclosed } = scanOutline(source);
    assert.ok(
      unclosed.some((one) => one.what === what && one.at === at),
      `${source}: ${JSON.stringify(unclosed)}`,
    );
  }
});

// Contract: scripts-41
test("any text has an outline", () => {
  const pieces = fc.constantFrom(
    ..."{}()[]@'\"$#<>`\n ,;=".split(""),
    "function ",
    "param",
    "A-b",
    "<#",
    "#>",
    "@'\n",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const source = parts.join("");
      for (const { start, bodyStart, bodyEnd } of scanOutline(source).functions)
        assert.ok(start < bodyStart && bodyStart < bodyEnd && bodyEnd <= source.length);
    }),
    { numRuns: 500 },
  );
});

// Contract: scripts-41
test("grammar and scanner agree about any file of generated PowerShell", () => {
  let understood = 0;
  fc.assert(
    fc.property(powershellFile, (source) => {
      agreed(source);
      if (readTree(source) !== undefined) understood++;
    }),
    { numRuns: 150 },
  );
  assert.ok(understood > 50, `only ${understood} of 150 files were compared`);
});
