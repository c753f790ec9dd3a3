import assert from "node:assert/strict";
import { test } from "node:test";
import { hasLimit, readStatementProblem, sqlLike, sqlText } from "./read-statement.ts";

test("one read-only statement is allowed", () => {
  for (const sql of [
    "SELECT * FROM blocks",
    "  select id from blocks where content = 'a; DROP TABLE blocks' ; ",
    "WITH one AS (SELECT 1 AS x) SELECT x FROM one",
    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i+1 FROM n WHERE i < 3) SELECT * FROM n",
    "SELECT replace(content, 'a', 'b') FROM blocks -- a; b\n LIMIT 3",
    '/* ; */ SELECT "delete", [update], `insert` FROM t',
    "SELECT 'it''s'",
  ])
    assert.equal(readStatementProblem(sql), undefined, sql);
});

test("everything else is rejected with the reason", () => {
  for (const [sql, problem] of [
    ["", /empty/],
    [" ;; -- nothing", /empty/],
    ["SELECT 1; SELECT 2", /one statement/],
    ["SELECT 1; DELETE FROM blocks", /one statement/],
    ["INSERT INTO blocks (id) VALUES ('x')", /Only SELECT/],
    ["/**/UPDATE blocks SET content = ''", /Only SELECT/],
    ["-- SELECT\nDELETE FROM blocks", /begins with "DELETE"/],
    ["WITH one AS (SELECT 1) DELETE FROM blocks", /after WITH/],
    ["WITH one AS (SELECT 1) INSERT INTO refs SELECT * FROM one", /after WITH/],
    ["with one as (select 1) update blocks set id = (select 1)", /after WITH/],
    ["WITH one AS (SELECT 1) REPLACE INTO refs SELECT 1", /after WITH/],
    ["PRAGMA journal_mode = delete", /Only SELECT/],
    ["ATTACH 'x' AS y", /Only SELECT/],
    ["VACUUM INTO 'file'", /Only SELECT/],
    ["SELECT load_extension('x')", /load_extension/],
    ["SELECT \"load_extension\"('x')", /load_extension/],
    ["SELECT 'open", /not closed/],
    ["SELECT /* open", /not closed/],
    ["EXPLAIN DELETE FROM blocks", /Only SELECT/],
  ] as const)
    assert.match(readStatementProblem(sql) ?? "allowed", problem, sql);
});

test("a LIMIT in a subquery does not count as the statement's LIMIT", () => {
  assert.equal(hasLimit("SELECT * FROM (SELECT 1 LIMIT 3)"), false);
  assert.equal(hasLimit("SELECT 'limit' FROM blocks"), false);
  assert.equal(hasLimit("SELECT 1 limit 5"), true);
});

test("quotes and wildcards in a text are escaped", () => {
  assert.equal(sqlText("it's"), "'it''s'");
  assert.equal(sqlLike("50%_\\"), "'%50\\%\\_\\\\%'");
});
