import assert from "node:assert/strict";
import { test } from "node:test";
import { mediaType, pngSize } from "./media-type.ts";
import { png } from "./testing/media-fixtures.ts";

const of = (text: string) => mediaType(Buffer.from(text, "latin1"))?.mimeType;

test("the type of images and sounds is found in their bytes", () => {
  assert.equal(mediaType(Buffer.from(png, "base64"))?.mimeType, "image/png");
  assert.equal(of("\xFF\xD8\xFF\xDB"), "image/jpeg");
  assert.equal(of("RIFF\x01\0\0\0WEBPVP8 "), "image/webp");
  assert.equal(of("\0\0\0\x1cftypavif"), "image/avif");
  assert.equal(of('<?xml version="1.0"?>\n<svg xmlns="x">'), "image/svg+xml");
  assert.equal(of("RIFF\x01\0\0\0WAVEfmt "), "audio/wav");
  assert.equal(of("\0\0\0\x1cftypM4A "), "audio/mp4");
  assert.equal(of("\xFF\xFB\x90\0"), "audio/mpeg");
  assert.equal(of("OggS\0"), "audio/ogg");
  assert.equal(of("fLaC\0"), "audio/flac");
  assert.equal(of("\x1A\x45\xDF\xA3"), "audio/webm");
  for (const text of ["", "<html><svg>", "hello", "RIFF\x01\0\0\0AVI "])
    assert.equal(of(text), undefined, text);
});

test("the size of a PNG is in its header", () => {
  assert.equal(pngSize(Buffer.from(png, "base64")), "1x1");
  assert.equal(pngSize(Buffer.from(png, "base64").subarray(0, 20)), undefined);
});
