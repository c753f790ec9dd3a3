import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRecord, Store } from "@capstan/store";
import fc from "fast-check";
import { inputOf, readInputPage, storedInput, storedOutput } from "./read-response.ts";
import { parseInput } from "./request/parse-input.ts";

function inputFor(input: unknown) {
  return storedInput("resp_1", parseInput(input));
}

test("every stored item has a stable id", () => {
  const carried = { type: "web_search_call", status: "completed" };
  const input = ["hi", "there"].map((text) => ({ role: "user", content: text }));
  const items = inputFor([{ ...input[0], id: "msg_client" }, input[1], carried, { id: "msg_9" }]);
  assert.deepEqual(
    items.map((item) => item.id),
    ["msg_client", "msg_1_1_in", "item_1_2_in"],
  );
  assert.deepEqual(inputFor(input), inputFor(input));
});

test("a stored item can be used as input again", () => {
  const [item] = inputFor("hi");
  assert.deepEqual(inputOf(item!), { ...item });
  const [output] = storedOutput([
    { id: "rs_1", type: "reasoning", status: "completed", summary: [], content: [] },
  ]);
  assert.deepEqual(inputOf(output!), { type: "reasoning", id: "rs_1", summary: [], content: [] });
});

const input = Array.from({ length: 10 }, (_, n) => ({ id: `i${n}`, role: "user", content: "x" }));

/**
 * Reads a page of a stored input of three parts; `most` is the largest number of items in memory at
 * the same time.
 */
async function pageOf({ limit = 20, order = "desc", after }: PageRequest = {}, items = input) {
  let count = 0;
  let most = 0;
  const store = {
    streamInput: async () => arrayInParts([items.slice(0, 3), items.slice(3, 4), items.slice(4)]),
  };
  const { page, release } = await readInputPage(
    store as unknown as Store,
    { id: "resp_1", owner: "ann" } as RunRecord,
    {
      limit,
      order,
      ...(after !== undefined && { after }),
      take: () => {
        most = Math.max(most, ++count);
        return () => count--;
      },
    },
  );
  assert.equal(count, page.data.length);
  release();
  assert.equal(count, 0);
  return { ids: page.data.map(({ id }) => id).join(" "), page, most };
}

interface PageRequest {
  readonly limit?: number;
  readonly order?: "asc" | "desc";
  readonly after?: string;
}

async function* arrayInParts<T>(parts: readonly (readonly T[])[]): AsyncGenerator<readonly T[]> {
  yield* parts;
}

test("items are listed newest first, in pages", async () => {
  const { page } = await pageOf({ limit: 2 });
  assert.deepEqual([page.has_more, page.first_id, page.last_id], [true, "i9", "i8"]);
  assert.equal((await pageOf({ limit: 3, after: "i4" })).ids, "i3 i2 i1");
  assert.equal((await pageOf({ limit: 3, order: "asc", after: "i2" })).ids, "i3 i4 i5");
});

test("every page is part of the whole list, and only its items and two more are in memory", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
      fc.constantFrom("asc" as const, "desc" as const),
      async (limit, cursor, order) => {
        const ids = input.map(({ id }) => id);
        const ordered = order === "asc" ? ids : ids.toReversed();
        const after = cursor === undefined ? undefined : `i${cursor}`;
        const start = after === undefined ? 0 : ordered.indexOf(after) + 1;
        const found = await pageOf({ limit, order, ...(after !== undefined && { after }) });
        assert.equal(found.ids, ordered.slice(start, start + limit).join(" "));
        assert.equal(found.page.has_more, start + limit < ordered.length);
        assert.ok(found.most <= limit + 2);
      },
    ),
  );
});

test("items without ids have the same ones on each page", async () => {
  const plain = input.map(({ role, content }) => ({ id: "", role, content }));
  const { ids } = await pageOf({}, plain);
  const [newest = "", next = ""] = ids.split(" ");
  assert.equal((await pageOf({ limit: 1, after: newest }, plain)).ids, next);
});

test("an empty page has no ids, and an unknown cursor is an error", async () => {
  const { page } = await pageOf({}, []);
  assert.deepEqual([page.first_id, page.last_id], [null, null]);
  for (const order of ["asc", "desc"] as const)
    await assert.rejects(pageOf({ order, after: "z" }), { status: 400, param: "after" });
});
