import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../testing/app-fixtures.ts";
import { routeRights } from "./rights.ts";

test("the table of rights has every route once, and no other", () => {
  const { routes } = createTestApp({ model: new ScriptedModel([]) });
  const served = routes.filter(({ method }) => method !== "ALL");
  const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
    `${method} ${path}`;
  assert.deepEqual(routeRights.map(nameOf).toSorted(), served.map(nameOf).toSorted());
});
