import assert from "node:assert/strict";
import { test } from "node:test";
import { fuseRankings } from "./rank-fusion.ts";
import { searchWords } from "./search-words.ts";
import { createToolIndex, toolIndexSteps } from "./tool-index.ts";
import type { SearchableTool } from "./tool-text.ts";
import { ToolUsage } from "./tool-usage.ts";

function tool(id: string, description = "", parameters: object = {}): SearchableTool {
  const [group = "", name = ""] = id.split(".");
  const properties = parameters as { readonly [name: string]: never };
  return {
    id,
    definition: {
      type: "function",
      function: { name, description, parameters: { type: "object", properties } },
    },
    group: { name: group },
  };
}

const tools = [
  tool("web.FetchWebPage", "Fetches a page and converts it to Markdown."),
  tool("mail.messages_send", "Sends a message to recipients.", { subject: {} }),
  tool("repo.createPullRequest", "Opens a request for changes.", {
    base: { type: "string", description: "The branch that receives the commits." },
  }),
  tool("files.RemoveFile", "Removes a file."),
  tool("weather.forecast", "The temperature of the next days."),
  tool("notes.search", "查找笔记中的内容。"),
];

function best(query: string, given = tools): string | undefined {
  return createToolIndex(given).search(query)[0]?.id;
}

for (const [query, expected] of [
  ["fetching web pages", "web.FetchWebPage"],
  ["webpage", "web.FetchWebPage"],
  ["create pull request", "repo.createPullRequest"],
  ["which branch receives my commits", "repo.createPullRequest"],
  ["subject", "mail.messages_send"],
  ["FORECASTS", "weather.forecast"],
  ["delete a document", "files.RemoveFile"],
  ["lösche die Datei", "files.RemoveFile"],
  ["Wettervorhersage", "weather.forecast"],
  ["发送邮件", "mail.messages_send"],
  ["天気", "weather.forecast"],
  ["笔记", "notes.search"],
  ["RemoveFile", "files.RemoveFile"],
] as const)
  test(`"${query}" finds ${expected}`, () => {
    assert.equal(best(query), expected);
  });

test("queries without a matching word find nothing", () => {
  for (const query of ["", "   ", "qwertz", "!?*", "\ud800", "\u{20000}"])
    assert.deepEqual(createToolIndex(tools).search(query), [], query);
  assert.deepEqual(createToolIndex([]).search("file"), []);
});

test("a query that consists of stop words is not empty", () => {
  const given = [tool("a.who", "Lists users."), tool("b.Other")];
  assert.equal(best("who", given), "a.who");
});

test("the limit applies, and of equal tools the earlier one comes first", () => {
  const equal = ["a.Run", "b.Run", "c.Run"].map((id) => ({ ...tool(id), group: { name: "g" } }));
  const found = createToolIndex(equal).search("run", { limit: 2 });
  assert.deepEqual(
    found.map(({ id }) => id),
    ["a.Run", "b.Run"],
  );
});

test("long and hostile texts take little time", () => {
  const long = `${"A".repeat(50_000)}${"a1".repeat(50_000)}${"漢字".repeat(50_000)}`;
  let nested: object = { type: "string" };
  for (let depth = 0; depth < 5_000; depth++) nested = { properties: { x: nested } };
  const index = createToolIndex([tool("a.Long", long, { deep: nested }), ...tools]);
  assert.equal(index.search(`remove file ${long}`)[0]?.id, "files.RemoveFile");
});

test("names are split at signs, capitals and digits, and neighbouring parts are also joined", () => {
  const words = (text: string) => searchWords(text).map(({ word }) => word);
  assert.deepEqual(words("getHTTPStatus"), ["get", "http", "gethttp", "status", "httpstatus"]);
  assert.deepEqual(words("list_files-v2"), ["list", "files", "2", "v2"]);
  assert.deepEqual(words("日本語 x"), ["日本", "本語"]);
});

test("a tool that was called after a query ranks higher for its words, for this user only", () => {
  const usage = new ToolUsage();
  const index = createToolIndex(tools);
  const search = (owner: string, query: string) =>
    index.search(query, { usage: usage.of(owner) }).map(({ id }) => id);
  assert.deepEqual(search("ann", "zettelkasten"), []);
  usage.note("ann", { query: "open the zettelkasten", toolId: "notes.search" });
  usage.note("ann", { query: "open the zettelkasten", toolId: "gone.Tool" });
  assert.deepEqual(search("ann", "zettelkasten"), ["notes.search"]);
  assert.deepEqual(search("bob", "zettelkasten"), []);
});

test("the usage of one user is bounded", () => {
  const usage = new ToolUsage();
  for (let n = 0; n < 5_000; n++) usage.note("ann", { query: `word${n}`, toolId: "a.B" });
  for (let n = 0; n < 100; n++) usage.note("ann", { query: "zoo", toolId: `a.T${n}` });
  const { weightsOf } = usage.of("ann");
  assert.equal(weightsOf("word0"), undefined);
  assert.equal(weightsOf("zoo")?.size, 20);
});

test("rankings are fused by the ranks of their entries", () => {
  assert.deepEqual(
    fuseRankings([
      ["a", "b"],
      ["b", "c"],
    ]),
    ["b", "a", "c"],
  );
});

test("an index is created in steps of one tool, and finds the same tools", () => {
  const many = Array.from({ length: 50 }, (_, n) => ({
    id: `g.Tool${n}`,
    definition: {
      type: "function" as const,
      function: { name: `Tool${n}`, description: n === 7 ? "Renames a file." : "Plays a sound." },
    },
  }));
  const steps = toolIndexSteps(many);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  assert.ok(count >= many.length * 2);
  const expected = createToolIndex(many).search("rename a file");
  assert.deepEqual(step.value.search("rename a file"), expected);
  assert.equal(expected[0]?.id, "g.Tool7");
});
