import assert from "node:assert/strict";
import { test } from "node:test";
import { inputFiles } from "./input-files.ts";

test("returns the images and files of messages, with or without an id", () => {
  const content = [
    { type: "input_text", text: "Look" },
    { type: "input_image", file_id: "file-1", filename: "a.png", detail: "auto" },
    { type: "input_file", file_id: "file-2", filename: "b.csv" },
    { type: "input_image", image_url: "https://example.org/c.png" },
    { type: "input_file", file_data: {}, filename: "d.pdf" },
  ];
  assert.deepEqual(inputFiles([{ type: "message", role: "user", content }]), [
    { id: "file-1", name: "a.png", isImage: true },
    { id: "file-2", name: "b.csv", isImage: false },
    { id: null, name: "image", isImage: true },
    { id: null, name: "d.pdf", isImage: false },
  ]);
});

test("returns nothing for text, other roles and values of other types", () => {
  const file = { type: "input_file", file_id: "file-1" };
  const inputs = [
    "text",
    null,
    { role: "user", content: "x" },
    { role: "developer", content: [file] },
  ];
  assert.deepEqual(inputFiles([...inputs, { role: "user", content: [null, 1, "x"] }]), []);
});
