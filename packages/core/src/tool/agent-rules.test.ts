import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveReferences } from "../variables/resolve-references.ts";
import { VariableSystem } from "../variables/variable-system.ts";
import { agentRules } from "./tool-rules.ts";

// Contract: variables-55, variables-91
test("each form in Rule/Agent/VarRef works as its row describes", () => {
  const variables = new VariableSystem();
  const page = `${"x".repeat(100)}${"y".repeat(50)}z`;
  variables.countResult("Any_2");
  variables.keepResult("FetchWebPage", { text: page }, { url: "u" });
  const found = { items: [{ url: "https://example.org" }] };
  variables.addVariable("Search_1", { text: "found", data: found }, "USER_ADD");

  const prompt = agentRules["VarRef"]?.prompt ?? "";
  const rows = [...prompt.matchAll(/^\| `(\\?\$VAR_REF.*?)` \| (.*?) \|$/gm)];
  const gets = rows.map(([, written = "", expected = ""]) => {
    const outcome = resolveReferences({ value: written }, { variables });
    assert.equal(outcome.status, "resolved", written);
    return [expected, outcome.status === "resolved" && outcome.args["value"]];
  });
  assert.deepEqual(gets, [
    ["the whole value", page],
    ["50 characters from character 100 on", "y".repeat(50)],
    ["the value at that JSON pointer", "https://example.org"],
    ["the literal text, without replacement", "$VAR_REF{{…}}"],
  ]);
  assert.match(prompt, /`FetchWebPage_3_args` holds the arguments/);
  assert.equal(variables.getVariable("FetchWebPage_3_args")?.value.text, '{"url":"u"}');
});
