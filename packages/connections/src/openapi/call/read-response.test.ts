import assert from "node:assert/strict";
import { test } from "node:test";
import { readValue } from "./read-response.ts";

const responseOf = (bytes: Buffer, type: string) => ({
  status: 200,
  headers: new Headers({ "content-type": type }),
  bytes,
  url: new URL("https://example.org/"),
  hasLeft: false,
});

test("JSON with too many values is a text, in any encoding", () => {
  // In UTF-16, the bytes of U+2222 are those of two quotation marks.
  const json = `["\u2222",${"{},".repeat(60_000)}{}]`;
  for (const [encoding, charset] of [
    ["utf8", "utf-8"],
    ["utf16le", "utf-16"],
  ] as const) {
    const type = `application/json; charset=${charset}`;
    const value = readValue(responseOf(Buffer.from(json, encoding), type));
    assert.equal(value.type === "data" && value.data, json, charset);
  }
  const short = readValue(responseOf(Buffer.from('{"a":[1]}'), "application/json"));
  assert.deepEqual(short, { type: "data", data: { a: [1] } });
});
