import assert from "node:assert/strict";
import { test } from "node:test";
import { type Annotation, checkAnnotations, placeAnnotations } from "./annotation.ts";

const page = (url: string, more = {}): Annotation => ({ type: "url_citation", url, ...more });
const file = (fileId: string, filename?: string): Annotation => ({
  type: "file_citation",
  fileId,
  ...(filename !== undefined && { filename }),
});
const cited = (text: string, annotations: readonly Annotation[]) =>
  placeAnnotations(text, annotations).map((one) =>
    "index" in one ? one.index : text.slice(one.start, one.end),
  );

test("a citation is placed at its link or file name in the text, or else at the end", () => {
  assert.deepEqual(cited("See https://a.example/x.", [page("https://a.example/x")]), [
    "https://a.example/x",
  ]);
  assert.deepEqual(cited("See [A page](https://a.example) now", [page("https://a.example")]), [
    "[A page](https://a.example)",
  ]);
  assert.deepEqual(cited("Only https://a.example/xy", [page("https://a.example/x")]), [""]);
  assert.deepEqual(cited("In a.pdf it says", [file("file-1", "a.pdf"), file("file-2")]), [8, 16]);
  assert.deepEqual(cited("In data.pdf", [file("file-1", "a.pdf")]), [11]);
  assert.deepEqual(placeAnnotations("No link", [page("https://a.example")]), [
    {
      type: "url_citation",
      url: "https://a.example",
      title: "https://a.example",
      start: 7,
      end: 7,
    },
  ]);
});

test("each source is cited once, and sources that a text does not mention can be left for a later message", () => {
  const twice = [page("https://a.example", { title: "A" }), page("https://a.example")];
  assert.deepEqual(
    placeAnnotations("https://a.example", twice).map(({ type }) => type),
    ["url_citation"],
  );
  assert.deepEqual(placeAnnotations("No link", twice, { placesRest: () => false }), []);
});

test("a final tool's own positions are used if they are in its text", () => {
  const own = [
    page("https://a.example", { start: 0, end: 3 }),
    page("https://a.example", { start: 4, end: 7 }),
    page("https://b.example", { start: 5, end: 99 }),
  ];
  const placed = placeAnnotations("One two", own, { ownPositions: true });
  assert.deepEqual(
    placed.map((one) => one.type === "url_citation" && [one.start, one.end]),
    [
      [0, 3],
      [4, 7],
      [7, 7],
    ],
  );
});

test("invalid annotations are named", () => {
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    ["no list", /not a list/],
    [[page("javascript:alert(1)")], /annotation 0 is invalid at url/],
    [[page("https://a.example"), { type: "file_citation" }], /annotation 1 is invalid at fileId/],
    [[page("https://a.example", { start: -1 })], /at start/],
    [[{ type: "other" }], /annotation 0 is invalid/],
    [Array.from({ length: 1_001 }, () => page("https://a.example")), /1001 annotations/],
  ];
  for (const [given, message] of wrong) {
    const checked = checkAnnotations(given);
    assert.equal(checked.status, "invalid");
    assert.match(checked.message, message);
  }
  const extra = checkAnnotations([page("https://a.example", { own: 1 })]);
  assert.deepEqual(extra, { status: "valid", annotations: [page("https://a.example")] });
});
