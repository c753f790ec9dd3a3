import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverrideView } from "@capstan/contract";
import { readDraft, refusedAt, type RuleDraft, ruleDraft } from "./rule-draft.ts";

const rule: OverrideView = {
  object: "override",
  id: "override_1",
  tool: "files.View",
  title: "",
  when: { path: "docs/**" },
  execution: "deny",
  reason: "mine",
  effect: "full",
  notes: [],
  createdAt: 0,
  updatedAt: 0,
};
const typeOf = () => undefined;
const read = (more: Partial<RuleDraft>, of?: OverrideView) =>
  readDraft({ ...ruleDraft(of), ...more }, { rule: of, typeOf });

test("a new rule sends only the chosen settings", () => {
  const conditions = [{ argument: "path", test: "path", value: "docs/**" }] as const;
  assert.deepEqual(read({ tool: " files.View ", execution: "auto", conditions, minutes: "0.5" }), {
    type: "change",
    change: {
      tool: "files.View",
      when: { path: { path: "docs/**" } },
      execution: "auto",
      approvalMs: 30_000,
    },
  });
});

test("emptied fields of an existing rule are reset, and its calls stay the same", () => {
  assert.deepEqual(read({ execution: "ask-always", reason: " " }, rule), {
    type: "change",
    change: {
      tool: "files.View",
      when: { path: "docs/**" },
      execution: "ask-always",
      result: null,
      approvalMs: null,
      reason: null,
    },
  });
});

test("a missing or invalid value is reported at its field", () => {
  const fieldOf = (more: Partial<RuleDraft>) => {
    const outcome = read(more);
    return outcome.type === "invalid" ? outcome.error.field : "none";
  };
  assert.equal(fieldOf({ execution: "auto" }), "tool");
  assert.equal(fieldOf({ tool: "*" }), "execution");
  assert.equal(fieldOf({ tool: "*", reason: "x" }), "execution");
  assert.equal(fieldOf({ tool: "*", minutes: "soon" }), "minutes");
  const conditions = [{ argument: "", test: "given", value: "" }] as const;
  assert.equal(fieldOf({ tool: "*", execution: "auto", conditions }), "condition");
});

test("the server's error is shown at the field that it names", () => {
  const conditions = [
    { argument: "a", test: "given", value: "" },
    { argument: "b", test: "site", value: "x" },
  ] as const;
  assert.deepEqual(refusedAt("when.b.site", "when.b.site: expected a site.", conditions), {
    field: "condition",
    condition: 1,
    message: "Expected a site.",
  });
  assert.equal(refusedAt("approvalMs", "no", []).field, "minutes");
  assert.equal(refusedAt("request", "no", []).field, "rule");
});
