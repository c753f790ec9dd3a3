import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDiff } from "./change/parse-diff.ts";
import { readStatementProblem } from "./kernel/read-statement.ts";
import { siyuanRules } from "./siyuan-rules.ts";
import { siyuanTools } from "./siyuan-tools.ts";

test("without a kernel, the tools are listed with a setup hint", () => {
  const { tools } = siyuanTools({ changes: "/nowhere" });
  assert.equal(tools.length, 12);
  for (const { unavailable } of tools) assert.match(unavailable?.fix ?? "", /CAPSTAN_SIYUAN_TOKEN/);
  const given = siyuanTools({ url: "http://127.0.0.1:6806", changes: "/nowhere" }).tools;
  assert.ok(given.every(({ unavailable }) => unavailable === undefined));
});

test("the rules are short, and one of them is in every prompt", () => {
  const always = Object.values(siyuanRules).filter(({ alwaysLoad }) => alwaysLoad);
  assert.equal(always.length, 1);
  assert.ok((always[0]?.prompt.length ?? 0) < 500);
  for (const [name, { prompt, desc }] of Object.entries(siyuanRules)) {
    assert.ok(prompt.length < 2000, `${name}: ${prompt.length}`);
    assert.ok(desc.length < 60, name);
  }
  assert.equal(Object.keys(siyuanRules).length, 9);
});

test("the statements and the diff in the rules are valid", () => {
  const prompts = Object.values(siyuanRules).map(({ prompt }) => prompt);
  const statements = prompts.flatMap((prompt) => [
    ...prompt.matchAll(/`(SELECT [^`]+ LIMIT[^`]*)`/g),
  ]);
  assert.ok(statements.length >= 4);
  for (const [, sql = ""] of statements) assert.equal(readStatementProblem(sql), undefined, sql);
  const diff =
    /```\n([\s\S]*?)```/.exec(siyuanRules["block-edit-search-replace"]?.prompt ?? "")?.[1] ?? "";
  assert.deepEqual(
    parseDiff(diff).map((edit) => edit.do),
    ["search", "after"],
  );
});
