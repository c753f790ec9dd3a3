import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorBody } from "@capstan/contract";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../../testing/app-fixtures.ts";

/**
 * Returns a schema with the given number of levels as JSON text, so that the test need not walk it.
 */
const deepSchema = (levels: number): string =>
  `${'{"items":'.repeat(levels - 1)}{"type":"string"}${"}".repeat(levels - 1)}`;

for (const levels of [200, 201, 900, 100_000])
  test(`a schema of ${levels} levels never causes a server error, in whichever field it is sent`, async () => {
    const { fetch } = createTestApp({
      model: new ScriptedModel(["one", "two", "three", "four", "five"]),
    });
    const schema = deepSchema(levels);
    const bodies = [
      [
        `{"input":"go","tools":[{"type":"function","name":"T","parameters":${schema}}]}`,
        "tools[0].parameters",
      ],
      [
        `{"input":"go","tools":[{"type":"function","function":{"name":"T","parameters":${schema}}}]}`,
        "tools[0].function.parameters",
      ],
      [
        `{"input":"go","text":{"format":{"type":"json_schema","name":"T","schema":${schema}}}}`,
        "text.format.schema",
      ],
      [`{"input":"go","tools":[{"type":"other","schema":${schema}}]}`],
      [
        `{"input":[{"type":"mcp_list_tools","server_label":"x","tools":[{"input_schema":${schema}}]}]}`,
      ],
    ] as const;
    for (const [body, param] of bodies) {
      const request = new Request("http://127.0.0.1:8787/v1/responses", {
        method: "POST",
        headers: { "content-type": "application/json", host: "127.0.0.1:8787" },
        body,
      });
      const response = await fetch(request);
      const text = await response.text();
      const shown = `${body.slice(0, 60)}: ${response.status} ${text.slice(0, 200)}`;
      if (levels > 1_000 || (levels > 200 && param !== undefined))
        assert.equal(response.status, 400, shown);
      else assert.ok(response.status < 500, shown);
      if (levels > 200 && levels < 1_000 && param !== undefined) {
        const { error } = JSON.parse(text) as ErrorBody;
        assert.equal(error.param, param);
        assert.match(error.message, /nested deeper than 200 levels/);
      } else if (levels === 200 && param !== undefined) assert.equal(response.status, 200, shown);
    }
  });
