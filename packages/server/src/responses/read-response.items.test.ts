import assert from "node:assert/strict";
import { test } from "node:test";
import { inputOf, pageOfItems, storedInput, storedOutput } from "./read-response.ts";
import { parseInput } from "./request/parse-input.ts";

function inputFor(input: unknown) {
  return storedInput("resp_1", parseInput(input));
}

test("every kept item has an id, its own or one that is always the same", () => {
  const carried = { type: "web_search_call", status: "completed" };
  const input = ["hi", "there"].map((text) => ({ role: "user", content: text }));
  const items = inputFor([{ ...input[0], id: "msg_client" }, input[1], carried, { id: "msg_9" }]);
  assert.deepEqual(
    items.map((item) => item.id),
    ["msg_client", "msg_1_1_in", "item_1_2_in"],
  );
  assert.deepEqual(inputFor(input), inputFor(input));
});

test("a kept item can be an input again", () => {
  const [item] = inputFor("hi");
  assert.deepEqual(inputOf(item!), { ...item });
  const [output] = storedOutput([
    { id: "rs_1", type: "reasoning", status: "completed", summary: [], content: [] },
  ]);
  assert.deepEqual(inputOf(output!), { type: "reasoning", id: "rs_1", summary: [], content: [] });
});

const items = ["a", "b", "c"].map((id) => ({ id }));

test("items are listed newest first, in pages", () => {
  assert.deepEqual(pageOfItems(items, { limit: 2 }), {
    object: "list",
    data: [{ id: "c" }, { id: "b" }],
    has_more: true,
    first_id: "c",
    last_id: "b",
  });
  const rest = pageOfItems(items, { limit: 2, after: "b" });
  assert.deepEqual([rest.data, rest.has_more], [[{ id: "a" }], false]);
  const oldest = pageOfItems(items, { order: "asc" });
  assert.deepEqual(oldest.data, items);
});

test("an empty page has no ids, and an unknown cursor is an error", () => {
  const empty = pageOfItems([]);
  assert.deepEqual([empty.first_id, empty.last_id], [null, null]);
  assert.throws(() => pageOfItems(items, { after: "z" }), { status: 400, param: "after" });
});
