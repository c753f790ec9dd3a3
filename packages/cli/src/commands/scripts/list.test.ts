import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { styleFor } from "../../terminal/style.ts";
import { renderList } from "./list.ts";

test("the list shows the first line of a description, shortened", () => {
  const tool = (name: string, description: string) => ({ name, description, parameters: {} });
  const tools = [tool("long", "x".repeat(5_000)), tool("short", "Adds.\nTwo numbers.")];
  const group = { id: "a", title: "A", tools };
  const text = renderList(
    [{ path: "/a.py", status: "live", approved: true, groups: [group], problems: [] }],
    [],
    styleFor(new PassThrough() as unknown as NodeJS.WriteStream),
  );
  const [, long, short] = text.split("\n");
  assert.equal(long, `  a.long  ${"x".repeat(99)}…`);
  assert.equal(short, "  a.short  Adds.");
});

test("the path of a file cannot control the terminal", () => {
  const text = renderList(
    [{ path: "/a\u001b[2Jb\u202e.py", status: "broken", approved: true, groups: [], problems: [] }],
    [],
    styleFor(new PassThrough() as unknown as NodeJS.WriteStream),
  );
  // oxlint-disable-next-line no-control-regex -- the output must not contain control characters
  assert.doesNotMatch(text, /[\u001b\u202e]/);
});
