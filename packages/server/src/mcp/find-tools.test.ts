import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema, Tool } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../testing/app-fixtures.ts";
import { connectMcp, mcpEras } from "../testing/mcp-client.ts";
import { asking, tool } from "../testing/run-fixtures.ts";

const described = (
  made: Tool,
  description: string,
  parameters?: { readonly [name: string]: JsonSchema },
): Tool => ({
  ...made,
  definition: {
    ...made.definition,
    function: {
      ...made.definition.function,
      description,
      ...(parameters && { parameters: { type: "object", properties: parameters } }),
    },
  },
});

const tools = [
  ...Array.from({ length: 100 }, (_, n) => tool(`filler_${n}`, () => n)),
  described(
    tool("waterPlants", ({ liters }) => `${String(liters)} l`),
    "Gives the plants water.",
    {
      liters: { type: "number" },
    },
  ),
  described(
    asking("burnLetter", () => "burnt"),
    "Burns a letter.",
  ),
  described(
    tool("longOne", () => ""),
    "Has a long zebra schema.",
    {
      zebra: { type: "string", description: "z".repeat(20_000) },
    },
  ),
];

const textOf = ({ content }: { readonly content?: unknown }): string =>
  (content as readonly { readonly text: string }[]).map(({ text }) => text).join("");

for (const era of mcpEras)
  test(`a ${era} client lists 40 tools, and finds and calls the others`, async () => {
    const app = createTestApp({ model: new ScriptedModel([]), tools });
    const client = await connectMcp(app, { era });
    const listed = await client.listTools();
    assert.equal(listed.tools.length, 40);
    assert.deepEqual(
      listed.tools.slice(0, 4).map(({ name }) => name),
      ["AwaitCall", "SearchTools", "CallTool", "filler_0"],
    );
    for (const { annotations = {} } of listed.tools)
      assert.equal(Object.keys(annotations).length, 4);
    const found = await client.callTool({
      name: "SearchTools",
      arguments: { query: "the plants" },
    });
    assert.match(
      textOf(found),
      /- waterPlants: Gives the plants water\.\n {2}arguments: .*"liters"/,
    );
    const called = await client.callTool({
      name: "CallTool",
      arguments: { name: "waterPlants", arguments: { liters: 3 } },
    });
    assert.equal(textOf(called), "3 l");
    // A tool that is not listed can be called by its own name, too.
    const direct = await client.callTool({ name: "waterPlants", arguments: { liters: 1 } });
    assert.equal(textOf(direct), "1 l");
    await client.close();
  });

test("a call of CallTool waits for approval like any other", async () => {
  const app = createTestApp({ model: new ScriptedModel([]), tools, mcp: { waitMs: 20 } });
  const client = await connectMcp(app, { era: "modern" });
  const waits = await client.callTool({ name: "CallTool", arguments: { name: "burnLetter" } });
  assert.match(textOf(waits), /burnLetter .*approval/);
  await client.close();
});

test("invalid calls of both tools say what to do", async () => {
  const client = await connectMcp(createTestApp({ model: new ScriptedModel([]), tools }), {
    era: "modern",
  });
  for (const [name, args, expected] of [
    ["SearchTools", {}, /query: expected the task/],
    ["SearchTools", { query: "x", limit: 0 }, /limit: expected a whole number from 1 to 20/],
    ["SearchTools", { query: "qwertz" }, /No tool matches "qwertz"/],
    ["SearchTools", { query: "zebra" }, /longOne.*\n.*too long for this result/],
    ["CallTool", {}, /name: expected/],
    ["CallTool", { name: "water_plants" }, /Did you mean waterPlants\?/],
    ["CallTool", { name: "SearchTools" }, /There is no tool "SearchTools"/],
    ["CallTool", { name: "waterPlants", arguments: [] }, /arguments: expected an object/],
  ] as const)
    assert.match(textOf(await client.callTool({ name, arguments: args })), expected);
  await client.close();
});

test("as many tools as are listed need no search, and the setting changes the number", async () => {
  const namesWith = async (count: number, listedTools: number) => {
    const given = tools.slice(0, count);
    const app = createTestApp({ model: new ScriptedModel([]), tools: given, mcp: { listedTools } });
    const client = await connectMcp(app, { era: "modern" });
    const { tools: listed } = await client.listTools();
    await client.close();
    return listed.map(({ name }) => name);
  };
  assert.ok(!(await namesWith(39, 40)).includes("SearchTools"));
  assert.equal((await namesWith(40, 40)).length, 40);
  assert.equal((await namesWith(100, 10_000)).length, 101);
});
