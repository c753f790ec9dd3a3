import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentView } from "@capstan/contract";
import { agentBody, agentNameOf } from "./agent-body.ts";

const fields = { title: " Reader ", model: "", instructions: " ", temperature: "", groups: null };

test("empty fields are omitted, and a title becomes a name that the API accepts", () => {
  assert.deepEqual(agentBody(null, fields), { title: "Reader" });
  assert.deepEqual(
    agentBody(null, { ...fields, model: "a/b", temperature: "0", groups: ["web"] }),
    {
      title: "Reader",
      model: "a/b",
      temperature: 0,
      groups: [{ group: "web" }],
    },
  );
  assert.equal(agentNameOf("Übersetzer für E-Mails!"), "ubersetzer-fur-e-mails");
  assert.match(agentNameOf("翻译"), /^agent-\d+$/);
  for (const title of ["x".repeat(200), "-a-", "A b_c"])
    assert.match(agentNameOf(title), /^[a-z0-9-]{1,48}$/);
});

test("fields that the form does not show stay unchanged", () => {
  const before = {
    id: "r",
    object: "agent",
    title: "R",
    source: "user",
    history: "full",
    limits: { calls: 3 },
    groups: [{ group: "web", allowed_tools: ["FetchWebPage"] }, { group: "data" }],
  } as const satisfies AgentView;
  assert.deepEqual(agentBody(before, { ...fields, groups: ["files", "web"] }), {
    history: "full",
    limits: { calls: 3 },
    title: "Reader",
    groups: [{ group: "files" }, { group: "web", allowed_tools: ["FetchWebPage"] }],
  });
});
