import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../../testing/app-fixtures.ts";

/** A schema of so many levels, as text: no program of ours has to walk it. */
const deepSchema = (levels: number): string =>
  `${'{"items":'.repeat(levels)}{"type":"string"}${"}".repeat(levels)}`;

for (const levels of [900, 100_000])
  test(`a schema of ${levels} levels is never an error of the server, wherever it comes in`, async () => {
    const { fetch } = createTestApp({ model: new ScriptedModel(["fine"]) });
    const schema = deepSchema(levels);
    const bodies = [
      `{"input":"go","tools":[{"type":"function","name":"T","parameters":${schema}}]}`,
      `{"input":"go","tools":[{"type":"function","function":{"name":"T","parameters":${schema}}}]}`,
      `{"input":"go","text":{"format":{"type":"json_schema","name":"T","schema":${schema}}}}`,
      `{"input":"go","tools":[{"type":"other","schema":${schema}}]}`,
      `{"input":[{"type":"mcp_list_tools","server_label":"x","tools":[{"input_schema":${schema}}]}]}`,
    ];
    for (const body of bodies) {
      const request = new Request("http://127.0.0.1:8787/v1/responses", {
        method: "POST",
        headers: { "content-type": "application/json", host: "127.0.0.1:8787" },
        body,
      });
      const response = await fetch(request);
      const text = await response.text();
      const shown = `${body.slice(0, 60)}: ${response.status} ${text.slice(0, 200)}`;
      if (levels > 1_000) assert.equal(response.status, 400, shown);
      else assert.ok(response.status < 500, shown);
    }
  });
