import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  countLines,
  fieldText,
  indentChange,
  newLineChange,
  offsetAt,
  outdentChange,
  type Selected,
  type TextChange,
} from "./editor-text.ts";

/** Returns a text with `[` and `]` around its selection, or `|` for a cursor. */
function selected(text: string): Selected {
  if (text.includes("|")) {
    const start = text.indexOf("|");
    return { text: text.replace("|", ""), start, end: start };
  }
  const start = text.indexOf("[");
  return { text: text.replace(/[[\]]/g, ""), start, end: text.indexOf("]") - 1 };
}

function after({ text }: Selected, { from, to, insert, start, end }: TextChange): string {
  const changed = text.slice(0, from) + insert + text.slice(to);
  return start === end
    ? `${changed.slice(0, start)}|${changed.slice(start)}`
    : `${changed.slice(0, start)}[${changed.slice(start, end)}]${changed.slice(end)}`;
}

const done = (change: (one: Selected) => TextChange, text: string) =>
  after(selected(text), change(selected(text)));

test("Tab indents to the next tab stop, and indents several selected lines", () => {
  assert.equal(done(indentChange, "|x"), "    |x");
  assert.equal(done(indentChange, "ab|x"), "ab  |x");
  assert.equal(done(indentChange, "a[b]c"), "a   |c");
  assert.equal(done(indentChange, "x\na[b\n\nc]d"), "x\n    a[b\n\n    c]d");
  assert.equal(done(indentChange, "[a\n]b"), "    [a\n]b");
});

test("Shift+Tab removes one level of indentation, if there is one", () => {
  assert.equal(done(outdentChange, "      x|"), "  x|");
  assert.equal(done(outdentChange, "  x|"), "x|");
  assert.equal(done(outdentChange, "x|"), "x|");
  assert.equal(done(outdentChange, "\t[a\n    b]"), "[a\nb]");
});

test("a new line has the indentation of the previous one, and one level more after a colon", () => {
  assert.equal(done(newLineChange, "  x|"), "  x\n  |");
  assert.equal(done(newLineChange, "def f():|"), "def f():\n    |");
  assert.equal(done(newLineChange, "a|b"), "a\n|b");
});

test("indenting a selection and unindenting it restores the text", () => {
  const texts = fc.stringMatching(/^[ab \n]{0,30}$/);
  fc.assert(
    fc.property(texts, fc.nat(30), fc.nat(30), (text, a, b) => {
      const start = Math.min(a, b, text.length);
      const end = Math.min(Math.max(a, b), text.length);
      if (!text.slice(start, end).includes("\n")) return;
      const there = indentChange({ text, start, end });
      const indented = text.slice(0, there.from) + there.insert + text.slice(there.to);
      assert.ok(there.start <= there.end && there.end <= indented.length);
      const back = outdentChange({ text: indented, start: there.start, end: there.end });
      assert.equal(indented.slice(0, back.from) + back.insert + indented.slice(back.to), text);
    }),
  );
});

test("a line and a column give an offset, or the nearest one if they do not exist", () => {
  const text = "ab\ncd\n";
  assert.deepEqual(
    [
      [1, 1],
      [2, 2],
      [2, 99],
      [3, 1],
      [99, 1],
    ].map(([line = 1, column]) => offsetAt(text, line, column)),
    [0, 4, 5, 6, 6],
  );
  assert.deepEqual(["", "a", "a\n", "a\nb"].map(countLines), [1, 1, 2, 2]);
});

test("a file keeps its line endings, changed or not", () => {
  const windows = fieldText("a\r\nb\r\n");
  assert.equal(windows.text, "a\nb\n");
  assert.equal(windows.toSource("a\nc\n"), "a\r\nc\r\n");
  const mixed = fieldText("a\r\nb\nc");
  assert.equal(mixed.toSource(mixed.text), "a\r\nb\nc");
  assert.equal(fieldText("a\nb").toSource("a\n"), "a\n");
});
