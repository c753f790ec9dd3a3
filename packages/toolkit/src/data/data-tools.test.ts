import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ToolExecutor } from "@capstan/core";
import { strToU8, zipSync } from "fflate";
import { DataProblem } from "./data-problem.ts";
import { dataTools } from "./data-tools.ts";
import { formatRows } from "./format-rows.ts";
import type { TableOptions } from "./parse-table.ts";
import { queryTables } from "./query-tables.ts";
import { readSource, type Source } from "./read-source.ts";
import { runQuery } from "./run-query.ts";

const root = await mkdtemp(join(tmpdir(), "capstan-data-"));
after(() => rm(root, { recursive: true }));

const executor = new ToolExecutor();
executor.registerToolGroup(dataTools({ roots: [{ path: root }], deny: [join(root, "denied")] }));
executor.toggleGroupEnabled("data", true);

async function call(name: string, args: object): Promise<string> {
  const result = await executor.execute(name, JSON.stringify(args));
  assert.equal(result.status, "success", JSON.stringify(result));
  return result.finalText;
}

async function fail(name: string, args: object) {
  const result = await executor.execute(name, JSON.stringify(args));
  assert.ok(result.status === "error", JSON.stringify(result));
  return result.error;
}

const calculate = (expression: string, more: object = {}) =>
  call("Calculate", { expression, ...more });
/** Runs a query in this process, because a separate process takes time to start. */
async function query(sql: string, table: Source & TableOptions): Promise<string> {
  const { file, variable, data, ...options } = table;
  const { variables } = executor;
  const context = {
    readVariable: async () => undefined,
    variables,
    denied: () => ({ paths: [], hosts: [] }),
  };
  const source = await readSource({ file, variable, data }, { roots: [{ path: root }] }, context);
  const tables = [{ name: "t", source, options }];
  return formatRows(await queryTables({ sql, maxRows: 100, tables }));
}

async function failQuery(
  sql: string,
  table: Source & TableOptions = { data: [{ a: 1 }] },
): Promise<DataProblem> {
  const problem: unknown = await query(sql, table).catch((thrown: unknown) => thrown);
  assert.ok(problem instanceof DataProblem, `${sql}: ${String(problem)}`);
  return problem;
}

test("results that share nested values are limited by their total size", async () => {
  let data: unknown = "x".repeat(500_000);
  for (let depth = 0; depth < 45; depth++) data = [data];
  const error = await fail("JsonQuery", { query: "$..*", data, limit: 10_000 });
  assert.equal(error.code, "too_large");
});

test("decimals are exact, and long results are rounded", async () => {
  const lines = await calculate("0.1 + 0.2\n2^100\n1/3\n5 inch to cm\nsqrt(-4)\na = 3\na * 2");
  assert.deepEqual(lines.split("\n"), [
    "0.3",
    "1267650600228229401496703205376",
    "0.33333333333333333333",
    "12.7 cm",
    "2i",
    "3",
    "6",
  ]);
  assert.equal(
    await calculate("p * 3", { variables: { p: "0.10000000000000000000001" } }),
    "0.30000000000000000000003",
  );
});

test("a money conversion uses the given exchange rate", async () => {
  assert.equal(await calculate("10 USD to EUR", { units: { EUR: "", USD: "0.9 EUR" } }), "9 EUR");
  assert.match((await fail("Calculate", { expression: "10 USD to EUR" })).message, /USD/);
});

test("an expression cannot change the calculator and must have a finite value", async () => {
  for (const expression of ["0/0", "1/0", "f(x) = x", "1 +", "import({})", "nope"])
    assert.equal((await fail("Calculate", { expression })).code, "invalid_expression", expression);
  for (const expression of [
    'cos.constructor("return process")()',
    '"a".constructor.constructor("return process")()',
    'evaluate("cos.constructor(\\"return process\\")()")',
    "import({cos: 1}, {override: true})",
    "createUnit.constructor",
  ])
    assert.equal((await fail("Calculate", { expression })).code, "invalid_expression", expression);
});

test("a call stops when its signal aborts", async () => {
  const controller = new AbortController();
  const running = executor.execute("Calculate", '{"expression": "100000000!"}', {
    signal: controller.signal,
  });
  controller.abort();
  assert.notEqual((await running).status, "success");
});

test("JSONPath finds values with their paths", async () => {
  const data = { items: [{ "a b": 1 }, { "a b": 20 }, { "a b": null }] };
  assert.equal(
    await call("JsonQuery", { query: "$.items[?@['a b'] > 5]", data }),
    `$['items'][1]: {"a b":20}\n[1 value.]`,
  );
  assert.equal(await call("JsonQuery", { query: "$.none", data }), "Nothing matches.");
  assert.match(
    await call("JsonQuery", { query: "$.items[*]", data, limit: 2 }),
    /\[2 values\. 1 more value: raise limit\.\]$/,
  );
  const lines = { query: "$[*].n", data: '{"n":1}\n{"n":2}\n' };
  assert.match(await call("JsonQuery", lines), /\$\[1\]\['n'\]: 2/);
  assert.equal((await fail("JsonQuery", { query: "$.items[?", data })).code, "invalid_query");
  assert.equal((await fail("JsonQuery", { query: "$", data: "{oops" })).code, "invalid_data");
  assert.equal((await fail("JsonQuery", { query: "$" })).code, "unclear_source");
});

test("a variable is queried by its name", async () => {
  executor.variables.updateVariable("page", {
    type: "USER_ADD",
    value: { text: "", data: { rows: [{ n: 4 }] } },
  });
  executor.variables.updateVariable("csv", { type: "USER_ADD", value: "n\n1\n2" });
  assert.match(await call("JsonQuery", { query: "$.rows[0].n", variable: "page" }), /: 4\n/);
  const sql = "SELECT SUM(n) AS s FROM (SELECT n FROM a UNION ALL SELECT n FROM b)";
  const tables = [
    { name: "a", variable: "page" },
    { name: "b", variable: "csv" },
  ];
  assert.match(await call("TableQuery", { sql, tables }), /\| 7 \|/);
  const missing = { query: "$", variable: "nope" };
  assert.equal((await fail("JsonQuery", missing)).code, "variable_not_found");
  const similar = { query: "$", variable: "pag" };
  assert.match((await fail("JsonQuery", similar)).message, /page/);
});

test("CSV is read with quotes, semicolons, decimal commas and other encodings", async () => {
  const data = '\uFEFFName;Unit price;Code\r\n"a;""b""\nc";1,5;007\r\nd;2,25;008\r\n';
  assert.equal(
    await query('SELECT "Unit price" * 2 AS p, Name, Code FROM t', { data }),
    '| p | Name | Code |\n| --- | --- | --- |\n| 3 | a;"b"<br>c | 007 |\n| 4.5 | d | 008 |\n[2 rows. Read t: 2 rows (Name text, Unit price real, Code text).]',
  );
  await writeFile(join(root, "latin.csv"), Buffer.from("name,n\nMüller,1\n", "latin1"));
  assert.match(await query("SELECT name FROM t", { file: "latin.csv" }), /Müller/);
  await writeFile(join(root, "utf16.tsv"), Buffer.from("\uFEFFname\tn\nŁódź\t1\n", "utf16le"));
  assert.match(await query("SELECT name, n + 1 AS m FROM t", { file: "utf16.tsv" }), /Łódź \| 2/);
  await writeFile(join(root, "sjis.csv"), Buffer.from([0x6e, 0x0a, 0x93, 0xfa, 0x0a]));
  const sjis = { file: "sjis.csv", encoding: "shift_jis" };
  assert.match(await query("SELECT n FROM t", sjis), /日/);
  assert.equal((await failQuery("SELECT 1", { ...sjis, encoding: "x" })).code, "invalid_data");
});

test("columns get the types of their values, and distinct names", async () => {
  const data = "id,ID,,when,big,e,flag\n1,a,x,2026-01-02,12345678901234567890,1e3,true\n";
  assert.match(
    await query("SELECT * FROM t", { data }),
    /id integer, ID_2 text, column_3 text, when date, big text, e real, flag text/,
  );
  const rows = [
    { a: true, b: { c: 1 } },
    { a: false, z: null },
  ];
  const text = await query("SELECT a, b, json_extract(b, '$.c') AS c, z FROM t", { data: rows });
  assert.match(text, /\| 1 \| \{"c":1\} \| 1 \| NULL \|/);
  assert.match(text, /a integer, b json, z empty/);
  assert.match(
    await query("SELECT column_2 FROM t", { data: "1,2\n3,4", header: false }),
    /\| 2 \|\n\| 4 \|/,
  );
});

test("the first sheet of a workbook is read, or the sheet that the query names", async () => {
  await writeFile(join(root, "book.xlsx"), workbook());
  assert.match(await query("SELECT SUM(n) AS s FROM t", { file: "book.xlsx" }), /\| 3 \|/);
  const other = { file: "book.xlsx", sheet: "Two" };
  assert.match(await query("SELECT m FROM t", other), /\| 9 \|/);
  const missing = await failQuery("SELECT 1", { file: "book.xlsx", sheet: "Three" });
  assert.equal(missing.code, "unknown_sheet");
  assert.match(missing.message, /One, Two/);
  await writeFile(join(root, "bad.xlsx"), "no archive");
  assert.equal((await failQuery("SELECT 1", { file: "bad.xlsx" })).code, "invalid_data");
});

test("a query can read its tables and do nothing else", async () => {
  for (const sql of [
    "ATTACH 'x.db' AS x",
    "PRAGMA table_info(t)",
    "SELECT * FROM pragma_database_list",
    "DELETE FROM t",
    "UPDATE t SET a = 2",
    "CREATE TABLE x (a)",
    "CREATE TEMP TABLE x (a)",
    "DROP TABLE t",
    "VACUUM INTO 'x.db'",
    "SELECT load_extension('x')",
    "BEGIN",
    "SELECT 1; DELETE FROM t",
  ])
    assert.equal((await failQuery(sql)).code, "not_allowed", sql);
  for (const sql of ["SELECT readfile('/etc/passwd')", "SELECT writefile('x', 'y')", "-- nothing"])
    assert.equal((await failQuery(sql)).code, "invalid_query", sql);
  assert.match((await failQuery("SELECT b FROM t")).message, /no such column: b.*t\("a" integer\)/);
  assert.match(await query("SELECT a FROM t; -- the end", { data: [{ a: 1 }] }), /1 row/);
});

test("rows are limited, and the result says if there are more", async () => {
  const data = Array.from({ length: 5 }, (_, n) => ({ n }));
  const text = await call("TableQuery", {
    sql: "SELECT n FROM t",
    tables: [{ name: "t", data }],
    limit: 2,
  });
  assert.match(text, /\[2 rows\. There are more rows/);
});

test("a query that exceeds its time or memory is stopped", async () => {
  const { signal } = new AbortController();
  const endless =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
  const read = async () => ({ sql: endless, maxRows: 1, tables: [] });
  const user = "ann";
  await assert.rejects(
    runQuery(read, { user, signal, limits: { timeoutMs: 300, memoryMb: 10_000 } }),
    {
      code: "too_slow",
      message: /took over 0\.3 s/,
    },
  );
  if (process.platform !== "linux") return;
  await assert.rejects(
    runQuery(read, { user, signal, limits: { timeoutMs: 60_000, memoryMb: 1 } }),
    {
      code: "too_slow",
      message: /more than 1 MB/,
    },
  );
  const stopped = new AbortController();
  const running = runQuery(read, { user, signal: stopped.signal });
  stopped.abort(new Error("enough"));
  await assert.rejects(running, /enough/);
});

test("the total size of a query's tables is limited, and so is its text", async () => {
  const data = `a\n${"x".repeat(18_000_000)}`;
  const tables = ["t", "u", "v"].map((name) => ({ name, data }));
  assert.equal((await fail("TableQuery", { sql: "SELECT 1", tables })).code, "too_large");
  const sql = `SELECT ${"1 + ".repeat(30_000)}1`;
  const long = await fail("TableQuery", { sql, tables: [{ name: "t", data: "a\n1" }] });
  assert.match(long.message, /sql/);
});

test("files are read only inside the roots", async () => {
  const table = { name: "t", file: "/etc/passwd" };
  const outsideQuery = { sql: "SELECT 1", tables: [table] };
  assert.equal((await fail("TableQuery", outsideQuery)).code, "outside_roots");
  const attach = { sql: "ATTACH 'x' AS y", tables: [{ name: "t", data: "a\n1" }] };
  assert.equal((await fail("TableQuery", attach)).code, "not_allowed");
  const outside = { query: "$", file: "../x.json" };
  assert.equal((await fail("JsonQuery", outside)).code, "outside_roots");
});

/** Returns a workbook with two sheets. */
function workbook(): Uint8Array {
  const sheet = (name: string, ...values: readonly number[]) =>
    `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>${name}</t></is></c></row>${values
      .map((value, at) => `<row r="${at + 2}"><c r="A${at + 2}"><v>${value}</v></c></row>`)
      .join("")}</sheetData></worksheet>`;
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const files = {
    "[Content_Types].xml":
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "xl/workbook.xml": `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${relations}"><sheets><sheet name="One" sheetId="1" r:id="rId1"/><sheet name="Two" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relations}/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`,
    "xl/worksheets/sheet1.xml": sheet("n", 1, 2),
    "xl/worksheets/sheet2.xml": sheet("m", 9),
  };
  return zipSync(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])),
  );
}
