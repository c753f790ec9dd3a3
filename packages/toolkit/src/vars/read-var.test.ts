import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, ToolExecutor } from "@capstan/core";
import fc from "fast-check";
import { variableTools } from "./variable-tools.ts";

/** Returns a session with a tool that returns `text`. Calls go through the gate. */
function session(text: string) {
  const executor = new ToolExecutor();
  const say = defineTool({
    name: "Say",
    description: "",
    effects: "read",
    permission: { executionPolicy: "auto" },
    execute: () => text,
  });
  executor.registerToolGroup({ name: "test", tools: [say] });
  executor.registerToolGroup(variableTools());
  for (const group of ["test", "vars"]) executor.toggleGroupEnabled(group, true);
  return async (name: string, args: string) => {
    const result = await executor.execute(name, args);
    assert.equal(result.status, "success", JSON.stringify(result));
    return result.status === "success" ? result.finalText : "";
  };
}

/** Splits a result of `ReadVar` into its text and the call in its last line. */
function page(read: string): { readonly text: string; readonly next?: string } {
  const [, text, next] =
    /^([^]*)\n\[Characters \d+ to \d+ of \d+\. (?:Read on with ReadVar\((.*)\)|This is the end)\.\]$/.exec(
      read,
    ) ?? [];
  return { text: text ?? read, ...(next !== undefined && { next }) };
}

const cell = fc.string({ unit: fc.constantFrom("a", "|", "é", "😀", "👩‍👩‍👧", " "), maxLength: 8 });
const text = fc.oneof(
  fc.array(fc.string({ unit: "grapheme", maxLength: 60 })).map((lines) => lines.join("\r\n")),
  fc
    .array(fc.tuple(cell, cell, cell), { minLength: 1 })
    .map((rows) => rows.map((row) => `| ${row.join(" | ")} |`).join("\n")),
  fc.string({ unit: "binary", minLength: 1, maxLength: 400 }),
  fc.constant("0123456789\n".repeat(3_000)),
);

// Contract: variables-34
test("the calls in a truncated result and in its pages read exactly the omitted text", () =>
  fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 400 }), async (whole, limit) => {
      const call = session(whole);
      const shown = await call("Say", JSON.stringify({ limit }));
      const said = /\[Omitted: .*?, from (\d+) to (\d+)\. Read on: ReadVar\((\{.*?\})\)/.exec(
        shown,
      );
      if (said === null) return assert.ok(shown.startsWith(whole));
      const [, from, to, first = ""] = said;
      let read = "";
      let next: string | undefined = first;
      while (next !== undefined && read.length < Number(to) - Number(from)) {
        const { text: more, next: further } = page(await call("ReadVar", next));
        read += more;
        next = further;
      }
      // The last page can repeat text from the end, which the first result already showed.
      const gap = whole.slice(Number(from), Number(to));
      assert.ok(read.startsWith(gap));
      assert.ok(shown.startsWith(whole.slice(0, Number(from))));
    }),
    { numRuns: 60 },
  ));

// Contract: variables-34
test("joining all pages gives the whole text, for any text and length", () =>
  fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 300 }), async (whole, length) => {
      const call = session(whole);
      await call("Say", "{}");
      const unit = Math.max(length, Math.ceil(whole.length / 40));
      let read = "";
      for (let start = 0; start < whole.length;) {
        const args = JSON.stringify({ name: "Say_1", start, length: unit });
        const { text: more, next } = page(await call("ReadVar", args));
        read += more;
        start = next === undefined ? whole.length : (JSON.parse(next) as { start: number }).start;
      }
      assert.ok(read === whole);
    }),
    { numRuns: 60 },
  ));
