import assert from "node:assert/strict";
import { test } from "node:test";
import type { TextGrammar } from "@capstan/core/host";
import { compileGrammar } from "./compile-grammar.ts";
import { createRequestGrammars } from "./request-grammars.ts";

function problems(syntax: TextGrammar["syntax"], definition: string, texts: readonly string[]) {
  const compiled = compileGrammar({ syntax, definition });
  assert.equal(compiled.status, "compiled", "message" in compiled ? compiled.message : "");
  return texts.map((text) => compiled.status === "compiled" && compiled.problem(text));
}

function accepts(syntax: TextGrammar["syntax"], definition: string, texts: readonly string[]) {
  return problems(syntax, definition, texts).map((problem) => problem === undefined);
}

function rejection(syntax: TextGrammar["syntax"], definition: string): string {
  const compiled = compileGrammar({ syntax, definition });
  return compiled.status === "invalid" ? compiled.message : "accepted";
}

/** A grammar for patches of several files, in the form that coding agents send. */
const patches = `
start: opening change+ closing
opening: "*** Begin" LF
closing: "*** End" LF?
change: added | removed | edited
added: "*** Add: " name LF plus_line+
removed: "*** Delete: " name LF
edited: "*** Update: " name LF moved? (heading | line)+ last?
name: /(.+)/
plus_line: "+" /(.*)/ LF -> line
moved: "*** Move to: " name LF
heading: ("@@" | "@@ " /(.+)/) LF
line: ("+" | "-" | " ") /(.*)/ LF
last: "*** End of File" LF

%import common.LF
`;

// Contract: responses-14
test("a regular expression must match the whole text, without backtracking", () => {
  assert.deepEqual(accepts("regex", "[a-z]+(-[0-9]+)?", ["ab-12", "ab", "ab-", "xab-12!"]), [
    true,
    true,
    false,
    false,
  ]);
  assert.deepEqual(accepts("regex", "^(?P<day>\\d{2})$", ["12", "123"]), [true, false]);
  assert.deepEqual(accepts("regex", "(?is)ab.+", ["AB\n", "b"]), [true, false]);
  assert.deepEqual(accepts("regex", "a.b", ["a\rb", "a😀b", "a\nb"]), [true, true, false]);
  const hostile = "a".repeat(100_000);
  const start = performance.now();
  assert.deepEqual(accepts("regex", "(a+)+b", [hostile]), [false]);
  assert.ok(performance.now() - start < 5_000);
});

// Contract: responses-14
test("unsupported regular expressions are rejected with the reason", () => {
  assert.match(rejection("regex", "(?=a)b"), /assertions/);
  assert.match(rejection("regex", "(a"), /not a regular expression/);
  assert.match(rejection("regex", "(a{1000}){1000}"), /states/);
  assert.match(rejection("regex", `(${"a?".repeat(20)}){45}`), /optional parts/);
  assert.match(rejection("regex", "[\\p{L}\\p{N}]{500}"), /ranges/);
  assert.match(rejection("regex", `${"(".repeat(20_000)}a${")".repeat(20_000)}`), /too deeply/);
});

// Contract: responses-14
test("a Lark grammar for patches accepts patches, and its errors have a position", () => {
  const patch = [
    "*** Begin",
    "*** Add: a.txt",
    "+hello",
    "+",
    "*** Update: b.txt",
    "*** Move to: c.txt",
    "@@ def main",
    " same",
    "-old",
    "+new",
    "*** End of File",
    "*** Delete: d.txt",
    "*** End",
  ];
  const text = patch.join("\n");
  assert.deepEqual(accepts("lark", patches, [text, `${text}\n`, text.replace("+hello", "hello")]), [
    true,
    true,
    false,
  ]);
  const [problem] = problems("lark", patches, [text.replace("+hello", "hello")]);
  assert.match(String(problem), /line 3, column 1, it has "hello/);
  assert.match(String(problem), /"\+"/);
  assert.match(String(problems("lark", patches, ["*** Begin\n"])[0]), /line 2.*the text ends/);
});

// Contract: responses-14
test("the check of a long text takes time in proportion to its length", () => {
  const lines = Array.from({ length: 4_000 }, (_, n) => `+line ${n} of a long file`);
  const text = ["*** Begin", "*** Add: a.txt", ...lines, "*** End"].join("\n");
  assert.deepEqual(accepts("lark", patches, [text]), [true]);
  const ambiguous = 'start: a\na: a a | "x" | ';
  assert.match(String(problems("lark", ambiguous, ["x".repeat(3_000)])[0]), /too long/);
});

// Contract: responses-14
test("a Lark grammar can use every supported form", () => {
  const grammar = `
    // A list of assignments.
    ?start: statement (";" statement)* [";"]   # The last one is optional.
    !statement.2: NAME "=" value -> assign
      | "del"i NAME
    value: NUMBER | ESCAPED_STRING | "(" value ")" | HEX~2..3 | "!"~2 | "0".."3" "x"
    NAME: LETTER ("_" | LETTER | DIGIT)*
    HEX: "#" HEXDIGIT
    %import common (LETTER, DIGIT, HEXDIGIT, NUMBER)
    %import common.ESCAPED_STRING
    %import common.WS -> SPACE
    %ignore SPACE
  `;
  const good = ["a = 1", 'a_1=((2.5)) ; b = "x;\\" y";', "DEL a", "a=#1#f", "a = !!", "a=2x"];
  const bad = ["", "a = ", "a 1", "a=#1", "a=!", "1=1", "a=1;;"];
  assert.deepEqual(
    accepts("lark", grammar, good),
    good.map(() => true),
  );
  assert.deepEqual(
    accepts("lark", grammar, bad),
    bad.map(() => false),
  );
});

// Contract: responses-14
test("a Lark grammar accepts a source text after an optional first line", () => {
  const grammar = `
start: with_pragma | plain
with_pragma: PRAGMA NEWLINE SOURCE
plain: SOURCE
PRAGMA: /[ \\t]*\\/\\/ @run:[^\\r\\n]*/
NEWLINE: /\\r?\\n/
SOURCE: /[\\s\\S]+/
`;
  const long = "const a = 1;\n".repeat(5_000);
  assert.deepEqual(accepts("lark", grammar, [`// @run: {}\n${long}`, long, ""]), [
    true,
    true,
    false,
  ]);
});

// Contract: responses-14
test("unsupported parts of a Lark grammar are named with their lines", () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["start: pair{a, b}", /line 1: templates/],
    ['start: "a"\n%declare X', /line 2: %declare/],
    ['start: "a"\n%import python.NAME', /line 2: %import python\.NAME/],
    ['start[lazy]: "a"', /attributes/],
    ["start: other", /other is not defined/],
    ["start: A\nA: B\nB: A", /A uses itself|B uses itself/],
    ['start: A\nA: other\nother: "a"', /not a terminal/],
    ['begin: "a"', /no rule named start/],
    ['start: "a"\nstart: "b"', /defined twice/],
    ["start: /(?=a)b/", /assertions/],
    ["start: /a/x", /flag x/],
    ['start: ("a"', /expected "\)"/],
    ["start: $", /not part of the syntax/],
    ['start: "a"~5000', /a count/],
    [`start: ${"(".repeat(500)}"a"${")".repeat(500)}`, /levels of parentheses/],
    ['start: (("a"~1000)~1000)~1000', /symbols/],
  ];
  for (const [grammar, reason] of cases) assert.match(rejection("lark", grammar), reason);
});

/** Terminals `T0`, `T1` … that need about 1,800 states each, and a rule that uses all. */
function largeTerminals(count: number, letter = "n"): string {
  const names = Array.from({ length: count }, (_, n) => `T${n}`);
  const terminals = names.map((name, n) => `${name}: /[a-z]{900}${letter}${n}/`);
  return [`start: ${names.join(" | ")}`, ...terminals].join("\n");
}

// Contract: responses-14
test("all terminals of a grammar share one budget of states and of ranges", () => {
  assert.equal(rejection("lark", largeTerminals(2)), "accepted");
  assert.match(
    rejection("lark", largeTerminals(20)),
    /T2: the grammar needs more than 5000 states/,
  );
  const classes = Array.from({ length: 2 }, (_, n) => `/\\p{L}{20}${n}/`).join(" | ");
  assert.equal(rejection("lark", `start: ${classes}`), "accepted");
  const many = Array.from({ length: 9 }, (_, n) => `/\\p{L}{20}${n}/`).join(" | ");
  assert.match(rejection("lark", `start: ${many}`), /more than 50000 ranges/);
});

// Contract: responses-14
test("all grammars of a request share one budget", () => {
  const grammars = createRequestGrammars();
  const statuses = ["a", "b", "c", "d"].map((letter) => {
    const result = grammars.compile({ syntax: "lark", definition: largeTerminals(2, letter) });
    return result.status === "invalid" ? result.message : result.status;
  });
  assert.deepEqual(statuses.slice(0, 2), ["compiled", "compiled"]);
  assert.match(statuses.at(-1) ?? "", /the grammars of the request need more than 10000 states/);
  const repeated = createRequestGrammars();
  const definition = largeTerminals(2);
  for (let n = 0; n < 10; n++)
    assert.equal(repeated.compile({ syntax: "lark", definition }).status, "compiled");
});

// Contract: responses-14
test("the work to build automata is limited before and while it is done, also for a request", () => {
  assert.match(rejection("regex", "(a|aa|aaa){0,200}N"), /optional parts/);
  assert.match(rejection("regex", "a?".repeat(900)), /optional parts/);
  assert.match(rejection("regex", "(a?b?){0,400}"), /optional parts/);
  for (const plain of ["[a-z]{900}n", "[a-z]{0,400}x", "(a?){20}b", "(a|b)*a(a|b){9}"])
    assert.equal(rejection("regex", plain), "accepted");
  const grammars = createRequestGrammars();
  const messages = Array.from({ length: 12 }, (_, n) => {
    const made = grammars.compile({ syntax: "regex", definition: `(a|aa|aaa){0,40}${n}` });
    return made.status === "invalid" ? made.message : made.status;
  });
  assert.deepEqual(messages.slice(0, 2), ["compiled", "compiled"]);
  assert.match(messages.at(-1) ?? "", /more than 100000 visits together/);
});

// Contract: responses-14
test("ignored text takes steps in proportion to its length", { timeout: 60_000 }, () => {
  const grammar = (ignored: string) => `start: "y"\n%ignore /${ignored}/`;
  const run = "x".repeat(20_000);
  assert.deepEqual(accepts("lark", grammar("x+"), [`${run}y`, `${run}y${run}`, run]), [
    true,
    true,
    false,
  ]);
  assert.deepEqual(accepts("lark", grammar("x"), [`${run}y`]), [true]);
  const everywhere = 'start: "x"*\n%ignore /x+/';
  assert.match(String(problems("lark", everywhere, [run])[0]), /too long to check/);
});

// Contract: responses-14
test("long chains of rules are compiled in bounded steps", { timeout: 60_000 }, () => {
  const chain = (length: number, used: number) =>
    Array.from({ length }, (_, n) => {
      const next = n < length - 1 ? `r${n + 1} | ` : "";
      return `${n === 0 ? "start" : `r${n}`}: ${next}/[${String.fromCodePoint(0x4e00 + (n % used))}]/`;
    }).join("\n");
  assert.equal(rejection("lark", chain(300, 300)), "accepted");
  assert.match(rejection("lark", chain(1_800, 1_200)), /more than 1000000 steps/);
  const optional = 'start: /[a-z]/~0..1000 "x"';
  assert.deepEqual(accepts("lark", optional, ["abcx", "abc"]), [true, false]);
  const uses = `start: ${"T3 ".repeat(5_000)}\nT0: "abcdefghij"\nT1: ${"T0 ".repeat(10)}\nT2: T1\nT3: T2`;
  assert.equal(rejection("lark", uses), "accepted");
  assert.match(rejection("lark", `start: "a"${"?".repeat(20_000)}`), /repetitions of one part/);
});
