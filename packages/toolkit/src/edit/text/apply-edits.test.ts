import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FileError } from "../../files/file-roots.ts";
import { applyEdits, type Edit } from "./apply-edits.ts";

function failure(text: string, edits: readonly Edit[]): { code: string; message: string } {
  try {
    applyEdits(text, edits);
  } catch (error) {
    assert.ok(error instanceof FileError);
    return error.data;
  }
  throw new Error("The edits were applied.");
}

const edit = (search: string, replace: string, all?: boolean): Edit => ({ search, replace, all });

test("several edits are matched against the original text, in any order", () => {
  const text = "one\ntwo\nthree\n";
  const edits = [edit("three", "3"), edit("one", "two")];
  assert.deepEqual(applyEdits(text, edits), { text: "two\ntwo\n3\n", lines: [1, 3] });
});

test("an exact match takes precedence over one that differs in white space", () => {
  const text = "  if (a) {\n    b();\n  }\nif (a) {\n  b();\n}\n";
  const edits = [edit("if (a) {\n  b();\n}", "c();")];
  assert.equal(applyEdits(text, edits).text, "  if (a) {\n    b();\n  }\nc();\n");
});

test("the numbers of the lines count each line end once", () => {
  const edits = [
    { search: "x", replace: "y", all: true },
    { search: "end", replace: "END" },
  ];
  for (const eol of ["\n", "\r\n"]) {
    const text = ["x x", "", "a x", "end"].join(eol);
    assert.deepEqual(applyEdits(text, edits).lines, [1, 1, 3, 4]);
  }
});

test("lines match if their indentation differs by the same amount, and the replacement is indented", () => {
  const text = "class A {\n\tf() {\n\t\treturn 1;\n\t}\n}\n";
  const edits = [edit("f() {\n\treturn 1;\n}", "f() {\n\n\treturn 2;\n}")];
  assert.equal(applyEdits(text, edits).text, "class A {\n\tf() {\n\n\t\treturn 2;\n\t}\n}\n");
  const outwards = applyEdits("f() {\n  g();\n}\n", [
    edit("    f() {\n      g();\n    }", "    h();"),
  ]);
  assert.equal(outwards.text, "h();\n");
});

test("white space at the ends of lines is ignored", () => {
  assert.equal(applyEdits("a  \nb\t\n", [edit("a\nb", "c\nd")]).text, "c\nd\n");
});

test("lines whose indentation differs in different ways do not match", () => {
  assert.equal(failure("  a\n b\n", [edit("a\nb", "c")]).code, "no_match");
});

test("edits preserve the line ends of the file", () => {
  assert.equal(
    applyEdits("a\r\nb\r\nc\r\n", [edit("a\nb", "x\ny\nz")]).text,
    "x\r\ny\r\nz\r\nc\r\n",
  );
  assert.equal(applyEdits("a\nb\n", [edit("a\r\nb", "x\r\ny")]).text, "x\ny\n");
  const mixed = applyEdits("a\r\nb\nc\r\nd\r\n", [edit("c", "x\ny")]).text;
  assert.equal(mixed, "a\r\nb\nx\r\ny\r\nd\r\n", "other lines keep theirs");
});

test("removing whole lines leaves no empty line, and removing a part of a line keeps its line end", () => {
  assert.equal(applyEdits("a\nb\nc\n", [edit("b", "")]).text, "a\nc\n");
  assert.equal(applyEdits("a\nb\nc\n", [edit("b\n", "")]).text, "a\nc\n");
  assert.equal(applyEdits("a\nxb\nc\n", [edit("b", "")]).text, "a\nx\nc\n");
});

test("a text that occurs several times is rejected with its lines, unless `all` is set", () => {
  const problem = failure("x = 1\ny\nx = 1\n", [edit("x = 1", "x = 2")]);
  assert.equal(problem.code, "ambiguous_match");
  assert.match(problem.message, /2 times, in lines 1, 3/);
  assert.equal(
    applyEdits("x = 1\ny\nx = 1\n", [edit("x = 1", "x = 2", true)]).text,
    "x = 2\ny\nx = 2\n",
  );
});

test("a text that does not occur is rejected with the most similar place", () => {
  const text = "zero\nfunction a() {\n  return first;\n}\nend\n";
  const problem = failure(text, [edit("function a() {\n  return second;\n}", "")]);
  assert.equal(problem.code, "no_match");
  assert.match(problem.message, /2\tfunction a\(\) \{\n3\t {2}return first;/);
  assert.match(failure(text, [edit("nothing like it", "")]).message, /neither does any line/);
});

test("an empty search and edits of the same lines are rejected, and the edit is named", () => {
  assert.equal(failure("a\n", [edit("", "x")]).code, "empty_search");
  const problem = failure("a\nb\nc\n", [edit("a\nb", "x"), edit("b\nc", "y")]);
  assert.equal(problem.code, "overlapping_edits");
  assert.match(problem.message, /Edits 1 and 2/);
  assert.match(failure("a\n", [edit("a", "b"), edit("z z z", "")]).message, /^Edit 2: /);
});

test("edits of unique lines have the same result as replacing each line", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "\t", "{", "é"), maxLength: 8 });
  const numbered = fc
    .array(line, { minLength: 1, maxLength: 20 })
    .map((lines) => lines.map((text, index) => `${text}#${index}#`));
  fc.assert(
    fc.property(
      numbered,
      fc.infiniteStream(fc.boolean()),
      fc.boolean(),
      (lines, chosen, windows) => {
        const eol = windows ? "\r\n" : "\n";
        const picked = lines.filter(() => chosen.next().value);
        const edits = picked.map((one) => edit(one, `${one}!\n!`));
        const expected = lines.flatMap((one) => (picked.includes(one) ? [`${one}!`, "!"] : [one]));
        const { text } = applyEdits(lines.join(eol) + eol, edits);
        assert.equal(text, expected.join(eol) + eol);
      },
    ),
  );
});

test("repeated lines, many matches and long lines take little time and memory", () => {
  const started = performance.now();
  const braces = "}\n".repeat(400_000);
  assert.equal(failure(braces, [edit(`${" }\n".repeat(20_000)}x`, "y")]).code, "no_match");
  assert.equal(failure("a".repeat(5_000_000), [edit("a", "b", true)]).code, "too_many_matches");
  assert.match(failure("a".repeat(5_000_000), [edit("a", "b")]).message, /more than 100000 times/);
  const large = [edit("x", "y".repeat(1_000_000), true)];
  assert.equal(failure("x\n".repeat(90_000), large).code, "too_large");
  const minified = `${"a".repeat(1_000_000)}\nlast line\n`;
  assert.ok(failure(minified, [edit(`${"a".repeat(1_000_000)}\nnone`, "")]).message.length < 2_000);
  assert.ok(performance.now() - started < 10_000);
});

test("with `all`, places that differ in white space do not overlap", () => {
  assert.equal(applyEdits("a \na \na \na \n", [edit("a\na", "b", true)]).text, "b\nb\n");
});
