import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, defineToolGroup } from "@capstan/core";
import { checkSchemas } from "./check-tools.ts";

test("schemas that cannot be used or fully enforced cause warnings", () => {
  const tool = (name: string, schema: object) =>
    defineTool({ name, description: name, parameters: { type: "object", ...schema } });
  const group = defineToolGroup({
    name: "odd",
    tools: [
      tool("Fine", { properties: { a: { pattern: "^(a+)+$" } } }),
      tool("Broken", { properties: { a: { type: "strin" } } }),
      tool("Loose", { properties: { a: { pattern: "^(?=(a+)+$)" } } }),
    ],
  });
  const [broken, loose, ...more] = checkSchemas([group]);
  assert.match(broken ?? "", /^The tool odd\.Broken is omitted, .*\/properties\/a\/type/);
  assert.match(
    loose ?? "",
    /^The schema of odd\.Loose is only partly enforced: At \/properties\/a/,
  );
  assert.deepEqual(more, []);
});
