import assert from "node:assert/strict";
import { test } from "node:test";
import { KernelError } from "../kernel/kernel-error.ts";
import { parseDiff } from "./parse-diff.ts";

const id = "20260101000000-aaaaaaa";

test("blocks and commands are read", () => {
  const diff = `
@@${id}@@ (paragraph)
<<<<<<< SEARCH
a
=======
b
>>>>>>> REPLACE
<<<<<<< SEARCH
c
=======
>>>>>>> REPLACE

@@${id}@@ AFTER

new
<<<<<<< SEARCH
=======
\\@@${id}@@ DELETE

@@${id}@@ DELETE
`;
  assert.deepEqual(parseDiff(diff.replaceAll("\n", "\r\n")), [
    { do: "search", id, search: "a", replace: "b" },
    { do: "search", id, search: "c", replace: "" },
    { do: "after", id, markdown: `new\n<<<<<<< SEARCH\n=======\n@@${id}@@ DELETE` },
    { do: "delete", id },
  ]);
});

test("errors have the line of the mistake and the expected form", () => {
  for (const [diff, problem] of [
    ["", /no edits/],
    ["text\n", /Line 1.*"text" is before/],
    [`@@${id}@@`, /not followed by an edit/],
    [`@@${id}@@\nnew text`, /Line 2.*outside of a SEARCH/],
    [`@@${id}@@ DELETE\nx`, /takes no text/],
    [`@@${id}@@ AFTER\n\n`, /needs Markdown/],
    [`@@${id}@@ REMOVE`, /"REMOVE" is not a command/],
    [`@@${id}@@\n<<<<<<< SEARCH\na\n=======\nb`, /no >>>>>>> REPLACE/],
    [`@@${id}@@\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE`, /no =======/],
    [
      `@@${id}@@\n<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE`,
      /second marker.*@@id@@ REPLACE/,
    ],
    [`@@${id}@@\n<<<<<<< SEARCH\n\n=======\nb\n>>>>>>> REPLACE`, /SEARCH is empty/],
  ] as const)
    assert.throws(
      () => parseDiff(diff),
      (error) =>
        error instanceof KernelError &&
        problem.test(error.message) &&
        /Write `@@id@@`/.test(error.message),
      diff,
    );
});

test("long runs of spaces and lines are parsed quickly", () => {
  const spaces = " ".repeat(300_000);
  assert.throws(() => parseDiff(`@@${id}@@${spaces}x\n`), /not followed by an edit/);
  assert.equal(parseDiff(`@@${id}@@ AFTER${spaces}\nnew${"\n".repeat(300_000)}x`).length, 1);
});
