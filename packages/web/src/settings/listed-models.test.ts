import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelView } from "@capstan/contract";
import { listedModels } from "./listed-models.ts";

const model = (id: string, title: string): ModelView => ({
  id,
  object: "model",
  created: 0,
  owned_by: "",
  title,
  default: false,
  reason: "",
});
const all = [model("a/one", "One (A)"), model("b/two", "Two (B)"), model("writer", "Letters")];
const idsOf = (query: string, favorites: readonly string[] = []) =>
  listedModels(all, { query, favorites }).map(({ id }) => id);

test("models whose title or id has all words of a query are listed, favorites first", () => {
  assert.deepEqual(idsOf(""), ["a/one", "b/two", "writer"]);
  assert.deepEqual(idsOf("", ["writer", "gone"]), ["writer", "a/one", "b/two"]);
  assert.deepEqual(idsOf(" TWO b/ "), ["b/two"]);
  assert.deepEqual(idsOf("letters"), ["writer"]);
  assert.deepEqual(idsOf("one two"), []);
});
