import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { constants, DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { parseSync } from "oxc-parser";
import { migratePostgres } from "../src/postgres/migrate-postgres.ts";
import { declaredStatements, type SqlStatement } from "../src/sql/statement.ts";
import { migrate } from "../src/sqlite/migrate.ts";
import { SqliteConnection } from "../src/sqlite/sqlite-connection.ts";
import { withDatabase } from "../src/testing/every-store.ts";
import { findPostgres } from "../src/testing/postgres-server.ts";

const source = join(import.meta.dirname, "../src");

/**
 * The modules that declare statements; files of threads are not loaded and must not declare any.
 */
async function declaringFiles(): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const file of glob("**/*.ts", { cwd: source })) {
    if (/\.test\.ts$|^testing\/|^sql\/statement\.ts$/.test(file)) continue;
    const text = await readFile(join(source, file), "utf8");
    if (/\bstatement\b(?:<[^(]*>)?\(/.test(text)) files.push(file);
  }
  return files.toSorted();
}

const files = await declaringFiles();
for (const file of files) await import(join(source, file));
const statements = declaredStatements();

/** The tables that views read: on PostgreSQL also the tail. */
const views: { readonly [view: string]: readonly string[] } = {
  stored_seqs: ["run_journal", "tail"],
};

const tablesOf = (name: string) => views[name] ?? [name];

const declaredBy = ({ reads, writes }: SqlStatement) => ({
  reads: reads.toSorted(),
  writes: writes.toSorted(),
});

/** A changed table counts only as written. */
function found(reads: ReadonlySet<string>, writes: ReadonlySet<string>) {
  return { reads: [...reads.difference(writes)].toSorted(), writes: [...writes].toSorted() };
}

test("each statement reads and writes the tables that it declares (SQLite)", () => {
  const database = new DatabaseSync(":memory:");
  migrate(new SqliteConnection(database), 0);
  const known = new Set(
    database
      .prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
      .all()
      .map(({ name }) => String(name))
      // The full-text indexes of search_chunks and run_words, whose triggers write them.
      .filter((name) => !/^(search_words|run_words_index)/.test(name)),
  );
  let reads = new Set<string>();
  let writes = new Set<string>();
  database.setAuthorizer((action, table, _column, _database, view) => {
    const { SQLITE_READ, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE } = constants;
    const name = view !== null && known.has(view) ? view : table;
    if (name === null || !known.has(name)) return constants.SQLITE_OK;
    if (action === SQLITE_READ) for (const each of tablesOf(name)) reads.add(each);
    if (action === SQLITE_INSERT || action === SQLITE_UPDATE || action === SQLITE_DELETE)
      writes.add(name);
    return constants.SQLITE_OK;
  });
  const checked = statements.filter(({ sqlite }) => sqlite !== "");
  assert.ok(checked.length > 80, `${checked.length} statements`);
  for (const statement of checked) {
    [reads, writes] = [new Set(), new Set()];
    database.prepare(statement.sqlite);
    assert.deepEqual(found(reads, writes), declaredBy(statement), statement.sqlite);
  }
});

const postgres = findPostgres();

interface PlanNode {
  readonly "Relation Name"?: string;
  readonly "Node Type": string;
  readonly Plans?: readonly PlanNode[];
}

test(
  "each statement reads and writes the tables that it declares (PostgreSQL)",
  { skip: postgres.status === "missing" && postgres.reason },
  async () => {
    await withDatabase(async (client) => {
      await migratePostgres(client, 0);
      await client.query("SET plan_cache_mode = force_generic_plan");
      for (const statement of statements) {
        if (!/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(statement.postgres)) continue;
        let n = 0;
        const text = statement.postgres.replaceAll("?", () => `$${(n += 1)}`);
        await client.query(`PREPARE checked AS ${text}`);
        const values = Array.from({ length: n }, () => "NULL").join(", ");
        const { rows } = await client.query<{ "QUERY PLAN": readonly { Plan: PlanNode }[] }>(
          `EXPLAIN (FORMAT JSON) EXECUTE checked${n === 0 ? "" : `(${values})`}`,
        );
        await client.query("DEALLOCATE checked");
        const reads = new Set<string>();
        const writes = new Set<string>();
        const collect = (node: PlanNode): void => {
          const name = node["Relation Name"];
          if (name !== undefined) (node["Node Type"] === "ModifyTable" ? writes : reads).add(name);
          node.Plans?.forEach(collect);
        };
        for (const { Plan } of rows[0]?.["QUERY PLAN"] ?? []) collect(Plan);
        const declared = declaredBy(statement);
        const { reads: read, writes: written } = found(reads, writes);
        assert.deepEqual(written, declared.writes, text);
        // Some statements read more tables on SQLite.
        assert.ok(
          new Set(read).isSubsetOf(new Set<string>(declared.reads)),
          `${read.join()}: ${text}`,
        );
      }
    });
  },
);

interface AstNode {
  readonly type: string;
  readonly callee?: { readonly type: string; readonly name?: string };
  readonly [key: string]: unknown;
}

/** Whether a call of `statement` is inside a function that does not run while the module loads. */
function declaresLater(node: unknown, inFunction: boolean): boolean {
  if (Array.isArray(node)) return node.some((each) => declaresLater(each, inFunction));
  if (typeof node !== "object" || node === null) return false;
  const { type, callee } = node as AstNode;
  if (type === "CallExpression" && callee?.name === "statement" && inFunction) return true;
  const isFunction = /^(?:FunctionExpression|MethodDefinition)$/.test(type);
  const isScript = type === "FunctionDeclaration" && (node as AstNode)["generator"] === true;
  const inside = inFunction || isFunction || isScript;
  return Object.values(node).some((each) => declaresLater(each, inside));
}

test("statements are declared while their module loads, so that the tests above see all of them", async () => {
  assert.ok(files.length > 25, files.join());
  for (const file of files) {
    const { program } = parseSync(file, await readFile(join(source, file), "utf8"));
    assert.equal(declaresLater(program, false), false, file);
  }
});
