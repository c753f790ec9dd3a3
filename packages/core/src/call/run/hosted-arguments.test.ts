import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../tool/define-tool.ts";
import type { JsonSchema } from "../../base/json.ts";
import { hostedToolProblem } from "./hosted-arguments.ts";

function problemOf(
  type: string,
  parameters?: JsonSchema,
  execute: (() => string) | null = () => "",
) {
  const definition = {
    type: "function" as const,
    function: { name: "T", ...(parameters !== undefined && { parameters }) },
  };
  return hostedToolProblem(type, { definition, ...(execute !== null && { execute }) });
}

const taking = (name: string, schema: object) => ({
  type: "object",
  properties: { [name]: schema },
});

test("a tool with an argument of the type can be bound, even if it takes other arguments", () => {
  const text = { type: "string" };
  assert.equal(problemOf("web_search", taking("query", text)), undefined);
  assert.equal(problemOf("file_search", taking("queries", { type: "array" })), undefined);
  assert.equal(problemOf("image_generation", taking("prompt", {})), undefined);
  assert.equal(
    problemOf("code_interpreter", taking("code", { type: ["string", "null"] })),
    undefined,
  );
  assert.equal(problemOf("web_search", { anyOf: [taking("query", text)] }), undefined);
});

test("a tool without such an argument cannot be bound, and the reason names the arguments", () => {
  assert.equal(problemOf("web_search"), "it has no text argument query or queries");
  assert.equal(
    problemOf("file_search", taking("query", { type: "number" })),
    "it has no text argument query or queries",
  );
  assert.equal(
    problemOf("code_interpreter", taking("program", { type: "string" })),
    "it has no text argument code",
  );
  assert.equal(problemOf("image_generation", taking("prompt", {}), null), "a client runs it");
});

test("a defined tool is checked by the schema of its parameters", () => {
  const tool = defineTool({ name: "T", description: "", execute: () => "" });
  assert.equal(hostedToolProblem("code_interpreter", tool), "it has no text argument code");
});
