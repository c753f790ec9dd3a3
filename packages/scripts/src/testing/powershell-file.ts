import fc from "fast-check";

const name = fc.constantFrom("Get-It", "Set-Thing", "script:Run", "_hidden", "Format-Get-It");
const string = fc.constantFrom("'it''s }'", '"say `"{`" $x"', '"$(Get-A "(" )"', "'#'", '"a, b"');
const literal = fc.oneof(
  string,
  fc.constantFrom("1", "-2.5", "0x1F", "$true", "@(1, 2)", "@{ a = 1 }"),
);
const type = fc.constantFrom(
  "[string]",
  "[int[]]",
  "[System.Uri]",
  "[Nullable[int]]",
  "[switch]",
  "[hashtable]",
);
const attribute = fc.oneof(
  fc.constantFrom(
    "[Parameter()]",
    "[Parameter(Mandatory)]",
    "[Parameter(Mandatory = $true, Position = 0)]",
  ),
  fc.constantFrom("[ValidateSet('a', 'b')]", "[ValidateRange(1, 10)]", '[Alias("x")]'),
);
const gap = fc.constantFrom(" ", "\n    ", " # note, }\n    ", " <# { #> ");
const parameter = fc
  .tuple(
    fc.array(attribute, { maxLength: 2 }),
    fc.option(type),
    fc.constantFrom("$A", "$Bee", "$c_3"),
    fc.option(literal),
    gap,
  )
  .map(([attributes, written, variable, value, space]) =>
    [
      ...attributes,
      ...(written === null ? [] : [written]),
      variable,
      ...(value === null ? [] : ["=", value]),
    ].join(space),
  );
const parameters = fc.array(parameter, { maxLength: 4 }).map((all) => all.join(",\n    "));
const statement = fc.oneof(
  literal.map((value) => `$x = ${value}`),
  fc.constantFrom(
    'Write-Output "a{b" ',
    "if ($x -gt 1) { 'a' } else { 'b' }",
    "foreach ($y in $x) { $y }",
  ),
  fc.constantFrom(
    "# } comment",
    "<# } block #>",
    "@'\n} text {\n'@",
    "function Inner { param($z) $z }",
  ),
);
const body = fc.array(statement, { maxLength: 3 }).map((all) => all.join("\n    "));
const definition = fc.oneof(
  fc
    .tuple(name, parameters, body)
    .map(([n, p, b]) => `function ${n} {\n    param(${p})\n    ${b}\n}`),
  fc
    .tuple(name, parameters, body)
    .map(
      ([n, p, b]) =>
        `function ${n} {\n    [CmdletBinding()]\n    param(\n    ${p}\n    )\n    ${b}\n}`,
    ),
  fc.tuple(name, parameters, body).map(([n, p, b]) => `function ${n}(${p}) {\n    ${b}\n}`),
);

/** A generated PowerShell file of functions and statements. */
export const powershellFile = fc
  .array(fc.oneof(definition, statement), { minLength: 1, maxLength: 4 })
  .map((parts) => `${parts.join("\n\n")}\n`);
