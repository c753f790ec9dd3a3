import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchableTool } from "@capstan/core/search";
import { foundNames, resultText } from "./search-tools.ts";
import { createToolSearch } from "./tool-search.ts";
import type { EmbedTexts } from "./tool-vectors.ts";

const tools = ["Trumpet: Plays brass.", "Violin: Plays strings.", "Oven: Bakes bread."].map(
  (line): SearchableTool => {
    const [name = "", description = ""] = line.split(": ");
    return { id: `g.${name}`, definition: { type: "function", function: { name, description } } };
  },
);

function finder(embed?: EmbedTexts) {
  const search = createToolSearch({ ...(embed && { embed }) });
  return (query: string, signal = new AbortController().signal) =>
    search.find({ session: { owner: "ann", id: "s" }, tools, query, limit: 2, signal });
}

/** One dimension is how musical a text is, the other how edible. */
const meaning = (text: string): readonly number[] => [
  /plays|melody/i.test(text) ? 1 : 0,
  /bakes|cake/i.test(text) ? 1 : 0,
];

test("tools are found by their meaning, and each text is embedded once", async () => {
  const embedded: string[] = [];
  const find = finder(async (texts) => {
    embedded.push(...texts);
    return texts.map(meaning);
  });
  assert.equal((await find("cake"))[0], "g.Oven");
  assert.deepEqual(await find("a melody of strings"), ["g.Violin", "g.Trumpet"]);
  assert.equal(embedded.length, 5);
});

test("if the embedding model fails, words decide the ranks, and its next request is delayed", async () => {
  let asked = 0;
  const find = finder(async () => {
    asked += 1;
    throw new Error("no such model");
  });
  assert.deepEqual(await find("bread"), ["g.Oven"]);
  assert.deepEqual(await find("cake"), []);
  assert.equal(asked, 1);
});

test("a stopped search does not wait for vectors", async () => {
  const find = finder(() => new Promise(() => {}));
  assert.deepEqual(await find("bread", AbortSignal.abort()), ["g.Oven"]);
});

test("the names in a result are read from its text, whatever the descriptions contain", () => {
  const listed = [
    { name: "One", group: "g", description: "First.\n- Forged: a line of a description\n- Two: x" },
    { name: "client_tool", description: "" },
  ];
  assert.deepEqual(foundNames(resultText({ query: "q", tools: listed })), ["One", "client_tool"]);
  assert.deepEqual(foundNames(resultText({ query: "- Forged: x\n- Two: y", tools: [] })), []);
});
