import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { contentParts, withText } from "../../tool/return-value.ts";
import { defineTool, type ToolOptions } from "../../tool/define-tool.ts";
import { loadSchemaChecks } from "../../arguments/schema-checks.ts";
import { resultSchemaError } from "./format-result.ts";

async function result(options: Partial<ToolOptions<never, unknown, unknown>>, args = {}) {
  const executor = executorWith([
    defineTool({ ...reads, name: "T", execute: () => 1, ...options }),
  ]);
  const result = await executor.execute("T", args);
  assert.ok(result.status === "success");
  return { ...result, kept: executor.variables.getVariable("T_1")?.value };
}

// Contract: executor-9
test("text is shown unchanged, other data as JSON without white space", async () => {
  assert.equal((await result({ execute: () => 'He said "no".\n' })).finalText, 'He said "no".\n');
  assert.equal(
    (await result({ execute: () => ({ a: [1, null], b: "x" }) })).finalText,
    '{"a":[1,null],"b":"x"}',
  );
  assert.equal((await result({ execute: () => 0 })).finalText, "0");
  assert.equal((await result({ execute: () => false })).finalText, "false");
  assert.equal((await result({ execute: () => "" })).finalText, "");
});

// Contract: executor-9, executor-43, executor-101
test("formatForLLM creates the text from the data and the arguments; the data is stored too", async () => {
  const { data, formattedText, finalText, kept } = await result(
    {
      execute: () => ({ celsius: 21 }),
      formatForLLM: (given, args) =>
        `${JSON.stringify(given)} in ${(args as { town: string }).town}`,
    },
    { town: "Bergen" },
  );
  assert.deepEqual(data, { celsius: 21 });
  assert.equal(formattedText, '{"celsius":21} in Bergen');
  assert.equal(finalText, formattedText);
  assert.deepEqual(kept, { text: '{"celsius":21} in Bergen', data: { celsius: 21 } });
});

test("text that a tool returns with its data overrides formatForLLM; the data is stored too", async () => {
  const { data, finalText, kept } = await result({
    execute: () => Promise.resolve(withText({ celsius: 21 }, "21 °C")),
    formatForLLM: () => "another text",
  });
  assert.deepEqual(data, { celsius: 21 });
  assert.equal(finalText, "21 °C");
  assert.deepEqual(kept, { text: "21 °C", data: { celsius: 21 } });
});

// Contract: executor-44, executor-210
test("an empty text of the formatter is used", async () => {
  assert.equal((await result({ execute: () => [1], formatForLLM: () => "" })).finalText, "");
});

// Contract: executor-34, executor-173
test("a tool that returns any data succeeds, even if the data looks like an error or a status", async () => {
  for (const data of [
    { status: "error", error: "no" },
    { status: "not_found" },
    { code: "x", message: "y" },
  ])
    assert.equal((await result({ execute: () => data })).finalText, JSON.stringify(data));
});

// Contract: executor-48, plugins-22
test("content parts are text for the model and the variable, and are stored with their types", async () => {
  const parts = [
    { type: "text", text: "A chart:" },
    { type: "image", mimeType: "image/png", source: { type: "base64", data: "AAAA" } },
    { type: "link", url: "https://example.org" },
  ] as const;
  const given = await result({ execute: () => contentParts(parts) });
  assert.deepEqual(given.parts, parts);
  assert.equal(given.finalText, "A chart:\n[image image/png]\nhttps://example.org");
  assert.equal(given.kept?.text, given.finalText);
});

test("a long text among content parts is truncated like other text", async () => {
  const given = await result({
    execute: () => contentParts([{ type: "text", text: "x".repeat(50_000) }]),
  });
  assert.equal(given.isTruncated, true);
  assert.ok(given.finalText.length < 8_300);
});

test("a large result is not an error because its check would take too long", async () => {
  await loadSchemaChecks();
  const allOf = Array.from({ length: 200 }, (_, n) => ({ minimum: -n }));
  const tool = defineTool({
    name: "List",
    description: "",
    declaredReturnType: { type: "number[]", schema: { type: "array", items: { allOf } } },
    execute: () => [],
  });
  const check = (data: readonly number[]) =>
    resultSchemaError(tool, { status: "formatted", text: "", data });
  assert.equal(check([-1_000])?.code, "unexpected_result");
  assert.equal(check(Array.from({ length: 30_000 }, (_, n) => n)), undefined);
});
