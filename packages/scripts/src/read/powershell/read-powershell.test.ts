import assert from "node:assert/strict";
import { test } from "node:test";
import { functionOf, propertyOf } from "../../testing/python-reader.ts";
import { literalOf } from "./literal.ts";
import { parsePowerShell } from "./parse-powershell.ts";
import { readPowerShell as read } from "./read-powershell.ts";

/** The schema of one parameter as written in `param(…)`. */
const schemaOf = (parameter: string) => {
  const parsed = read(`function F {\n<#\n.SYNOPSIS\nDoes.\n#>\nparam(${parameter}) }`);
  return propertyOf(parsed, "X");
};

const parameters: readonly [parameter: string, schema: unknown][] = [
  ["$X", {}],
  ["[string]$X", { type: "string" }],
  ["[int]$X", { type: "integer" }],
  ["[Int64] $X", { type: "integer" }],
  ["[long]$X", { type: "integer" }],
  ["[System.Int32]$X", { type: "integer" }],
  ["[double]$X", { type: "number" }],
  ["[decimal]$X", { type: "number" }],
  ["[bool]$X", { type: "boolean" }],
  ["[switch]$X", { type: "boolean", default: false }],
  ["[datetime]$X", { type: "string", format: "date-time" }],
  ["[guid]$X", { type: "string", format: "uuid" }],
  ["[uri]$X", { type: "string", format: "uri" }],
  ["[hashtable]$X", { type: "object" }],
  ["[pscustomobject]$X", { type: "object" }],
  ["[object]$X", {}],
  ["[array]$X", { type: "array" }],
  ["[object[]]$X", { type: "array" }],
  ["[string[]]$X", { type: "array", items: { type: "string" } }],
  ["[byte[]]$X", { type: "string", contentEncoding: "base64" }],
  ["[System.Collections.Generic.List[int]]$X", { type: "array", items: { type: "integer" } }],
  [
    "[System.Collections.Generic.Dictionary[string, int]]$X",
    { type: "object", additionalProperties: { type: "integer" } },
  ],
  ["[Nullable[int]]$X", { type: ["integer", "null"] }],
  ["[string]$X = 'it''s'", { type: "string", default: "it's" }],
  ['[string]$X = "a`tb"', { type: "string", default: "a\tb" }],
  ['[string]$X = "$HOME/x"', { type: "string" }],
  ["[int]$X = 0x1F", { type: "integer", default: 31 }],
  ["[int]$X = 2kb", { type: "integer", default: 2048 }],
  ["[int]$X = (Get-Random)", { type: "integer" }],
  ["[int[]]$X = @(1, 2)", { type: "array", items: { type: "integer" }, default: [1, 2] }],
  ["[hashtable]$X = @{ a = 1; b = 'c' }", { type: "object", default: { a: 1, b: "c" } }],
  ["[bool]$X = $true", { type: "boolean", default: true }],
  ["[ValidateSet('a', 'b')][string]$X", { type: "string", enum: ["a", "b"] }],
  ["[string][ValidateSet('a', 'b')]$X", { type: "string", enum: ["a", "b"] }],
  ["[ValidateSet('one')][string]$X", { type: "string", enum: ["one"] }],
  ["[ValidateSet(1, 2)][int]$X", { type: "integer", enum: [1, 2] }],
  [
    "[ValidateSet('a', 'b')][string[]]$X",
    { type: "array", items: { type: "string", enum: ["a", "b"] } },
  ],
  ["[ValidateRange(1, 10)][int]$X", { type: "integer", minimum: 1, maximum: 10 }],
  ["[ValidateRange(-1.5, [int]::MaxValue)]$X", { minimum: -1.5 }],
  ["[ValidateRange('Positive')][int]$X", { type: "integer", exclusiveMinimum: 0 }],
  ["[ValidateLength(1, 5)][string]$X", { type: "string", minLength: 1, maxLength: 5 }],
  [
    "[ValidateCount(1, 5)][int[]]$X",
    { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 5 },
  ],
  ["[ValidateNotNullOrEmpty()][string]$X", { type: "string", minLength: 1 }],
  ["[AllowNull()][string]$X", { type: ["string", "null"] }],
  ["[Parameter(HelpMessage = 'which')][string]$X", { type: "string", description: "which" }],
];
// Contract: scripts-36
test("parameters with types, attributes and defaults become JSON Schema", () => {
  for (const [parameter, schema] of parameters)
    assert.deepEqual(schemaOf(parameter), schema, parameter);
});

// Contract: scripts-37
test("Mandatory parameters are required in every notation, except those of one parameter set", () => {
  const parsed = read(`function F { param(
    [Parameter(Mandatory)] $A,
    [Parameter(Mandatory = $true)] $B,
    [Parameter(mandatory=$True, Position = 1)][string] $C = 'x',
    [Parameter(Mandatory = $false)] $D,
    [Parameter(Mandatory, ParameterSetName = 'p')] $E,
    $F,
    [Parameter(Mandatory=1)] $G,
    [Parameter(Mandatory=0)] $H) }`);
  assert.deepEqual(functionOf(parsed).parameters["required"], ["A", "B", "C", "G"]);
  assert.deepEqual(propertyOf(parsed, "C"), { type: "string" });
});

const documented = `<#
.SYNOPSIS
Tools for the weather.
.DESCRIPTION
Ask once a day.
#>
# TOOL_CONFIG: {"title": "Weather", "roots": {"read": ["data"]}}

function Get-Weather {
    <#
    .SYNOPSIS
        Gives the forecast.
    .DESCRIPTION
        Of one town.
            indented
    .PARAMETER City
        The town.
    .PARAMETER DAYS
        How many.
    .EXAMPLE
        Get-Weather Bergen
    .OUTPUTS
        hashtable by day
    #>
    # TOOL_CONFIG: {"executionPolicy": "ask-always"}
    param([string]$City, [int]$Days, $Context)
}

# .SYNOPSIS
# Before the function.
function Get-Second { [OutputType([string])] param() }

function Get-Third {
    'x'
    # .SYNOPSIS
    # At the end.
}
function _private { }
function Internal-Thing { }
function Format-Get-Weather { param($Result, $Arguments) }
function Format-Text { "a tool: there is no Text" }
`;

// Contract: scripts-35
test("comment-based help is read from all places that PowerShell accepts", () => {
  const parsed = read(documented);
  assert.equal(parsed.rules, "Tools for the weather.\n\nAsk once a day.");
  assert.deepEqual(
    parsed.functions?.map(({ name, description }) => [name, description]),
    [
      ["Get-Weather", "Gives the forecast.\n\nOf one town.\n    indented"],
      ["Get-Second", "Before the function."],
      ["Get-Third", "At the end."],
      ["Format-Text", ""],
    ],
  );
  const weather = functionOf(parsed, "Get-Weather");
  assert.deepEqual(weather.parameters["properties"], {
    City: { type: "string", description: "The town." },
    Days: { type: "integer", description: "How many." },
  });
  assert.deepEqual(weather.returns, { type: "hashtable", note: "by day" });
  assert.deepEqual(functionOf(parsed, "Get-Second").returns, { type: "string" });
});

// Contract: scripts-39
test("TOOL_CONFIG applies to all functions of a file, or to the function that contains it", () => {
  const { declared, title } = read(documented);
  assert.equal(title, "Weather");
  assert.deepEqual(declared, {
    file: { roots: { read: ["data"] } },
    functions: { "Get-Weather": { executionPolicy: "ask-always" } },
  });
});

// Contract: scripts-39
test("a TOOL_CONFIG that is not a JSON object is an error with its line", () => {
  const { problems, declared } = read("\n# TOOL_CONFIG: {nonsense}\n");
  assert.deepEqual([problems[0]?.severity, problems[0]?.line], ["error", 2]);
  assert.deepEqual(declared?.file, {});
});

// Contract: scripts-40
test("Format-<Tool>, _… and Internal-… functions are not tools", () => {
  const parsed = read(documented);
  assert.equal(functionOf(parsed, "Get-Weather").hasFormat, true);
  assert.equal(functionOf(parsed, "Get-Second").hasFormat, false);
  assert.equal(functionOf(parsed, "Get-Weather").wantsContext, true);
});

test("the later of two functions whose names differ only by case becomes the tool", () => {
  const parsed = read("function Get-It { param($Old) }\nfunction get-it { param($New) }");
  assert.deepEqual(
    parsed.functions?.map(({ name }) => name),
    ["get-it"],
  );
});

test("help for an unknown parameter, an unknown type, and missing help are warnings with lines", () => {
  const { problems } = read(
    "function A {\n<#\n.SYNOPSIS\nDoes.\n.PARAMETER Gone\nx\n#>\nparam(\n  [My.Own]$X)\n}\nfunction B { }",
  );
  assert.deepEqual(
    problems.map(({ severity, line }) => [severity, line]),
    [
      ["warning", 9],
      ["warning", 1],
      ["warning", 11],
    ],
  );
});

// Contract: scripts-58
test("an unclosed bracket or string is an error with its line", () => {
  const parsed = read("function A {\n  'text\n}");
  assert.equal(parsed.functions, undefined);
  assert.ok(
    parsed.problems.some(({ line, message }) => line === 2 && message.startsWith("A string")),
  );
});

// Contract: scripts-38
test("literals are values, and other expressions are not", () => {
  for (const text of [
    "$x",
    "Get-It",
    "(Get-It)",
    "1..5",
    '"$($x)"',
    "@(Get-It)",
    "1 + 2",
    "{ 1 }",
    "",
    "5 6",
  ])
    assert.equal(literalOf(text), undefined, text);
  assert.deepEqual(literalOf("@(1, 'a', $null, @(2))"), [1, "a", null, [2]]);
  assert.equal(literalOf("@'\nit's\n'@"), "it's");
  assert.equal(literalOf('"say ""hi"""'), 'say "hi"');
  assert.equal(literalOf("[int] 5"), 5);
});

// Contract: scripts-42
test("files are read in a thread, in order, in any encoding", async () => {
  const source = "function Get-Größe { <# .SYNOPSIS\nMisst. #> param() }";
  const wide = Buffer.from(`\ufeff${source}`, "utf16le");
  const parsed = await parsePowerShell([
    Buffer.from(source),
    Buffer.from(`\ufeff${source}`),
    wide,
    Buffer.from("function B { '"),
    Buffer.from([0, 255, 254, 1]),
  ]);
  assert.deepEqual(
    parsed.map(({ functions }) => functions?.map(({ name }) => name)),
    [["Get-Größe"], ["Get-Größe"], ["Get-Größe"], undefined, []],
  );
});
