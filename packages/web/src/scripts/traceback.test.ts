import assert from "node:assert/strict";
import { test } from "node:test";
import { tracebackOf } from "./traceback.ts";

test("a traceback is read only from a script's failure", () => {
  assert.equal(tracebackOf({ details: { traceback: "File …" } }), "File …");
  assert.equal(tracebackOf({ details: { output: "said" } }), "said");
  for (const details of [undefined, null, "text", 1, {}, { traceback: 1 }])
    assert.equal(tracebackOf({ details }), undefined);
});
