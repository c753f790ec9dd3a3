import assert from "node:assert/strict";
import { test } from "node:test";
import { notePicture } from "./note-picture.ts";

// Contract: plugins-44
test("an event's picture is shown as an image, other data as text", () => {
  const image = { type: "image", mimeType: "image/png", source: { type: "base64", data: "aGk=" } };
  assert.equal(notePicture({ index: 1, image }), image);
  const elsewhere = { ...image, source: { type: "url", url: "https://example.org/a.png" } };
  const odd = [null, "image", [], {}, { image: null }, { image: "x" }, { image: elsewhere }];
  for (const data of odd) assert.equal(notePicture(data), null);
});
