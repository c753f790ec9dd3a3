import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Attachment,
  attachmentsOfFiles,
  filesOfAttachments,
  filesOfResources,
  parseToolResources,
  resourcesOfFiles,
  type ToolResources,
} from "./tool-resources.ts";

const ids = (max: number) =>
  fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: max });
const plain = { noNullPrototype: true } as const;
const resources: fc.Arbitrary<ToolResources> = fc.record(
  {
    code_interpreter: fc.record({ file_ids: ids(20) }, plain),
    file_search: fc.record({ vector_store_ids: ids(1) }, plain),
  },
  { requiredKeys: [], ...plain },
);
const types = fc.uniqueArray(fc.constantFrom("code_interpreter", "file_search"));
const attachments: fc.Arbitrary<readonly Attachment[]> = fc.uniqueArray(
  fc.record({
    file_id: fc.string({ minLength: 1, maxLength: 8 }),
    tools: types.map((list) => list.map((type) => ({ type }) as const)),
  }),
  { selector: ({ file_id: id }) => id, maxLength: 20 },
);

// Contract: plugins-96
test("tool_resources are read back as they were sent", () => {
  fc.assert(
    fc.property(resources, (given) => {
      const parsed = parseToolResources(given);
      assert.deepEqual(parsed, given);
      const isEmpty = Object.keys(given).length === 0;
      assert.deepEqual(resourcesOfFiles(filesOfResources(parsed)), isEmpty ? null : given);
    }),
  );
});

test("attachments become files by the type of tool, and back", () => {
  const byId = (list: readonly Attachment[]) =>
    list
      .map(({ file_id: id, tools }) => [id, tools.map(({ type }) => type).toSorted()] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  fc.assert(
    fc.property(attachments, (given) => {
      assert.deepEqual(byId(attachmentsOfFiles(filesOfAttachments(given))), byId(given));
    }),
  );
  assert.deepEqual(filesOfAttachments([{ file_id: "a", tools: [] }]), { _all: ["a"] });
});

test("fields without an effect are rejected by name", () => {
  for (const [given, param] of [
    [{ web_search: {} }, "tool_resources.web_search"],
    [{ file_search: { vector_stores: [{}] } }, "tool_resources.file_search.vector_stores"],
    [{ code_interpreter: { file_ids: [1] } }, "tool_resources.code_interpreter.file_ids[0]"],
    [
      { file_search: { vector_store_ids: ["a", "b"] } },
      "tool_resources.file_search.vector_store_ids",
    ],
    ["x", "tool_resources"],
  ] as const)
    assert.throws(() => parseToolResources(given), { param });
});
