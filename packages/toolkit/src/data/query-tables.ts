import { parseTable, type Table, type TableOptions } from "./parse-table.ts";
import type { SourceData } from "./read-source.ts";
import { type QueryRows, runSql } from "./run-sql.ts";

/** A query over tables. */
export interface QueryJob {
  readonly sql: string;
  readonly maxRows: number;
  readonly tables: readonly {
    readonly name: string;
    readonly source: SourceData;
    readonly options: TableOptions;
  }[];
}

/** The rows of a query, and the tables that were read for it. */
export interface QueryResult extends QueryRows {
  readonly tables: readonly {
    readonly name: string;
    readonly rows: number;
    readonly columns: Table["columns"];
  }[];
}

/**
 * Reads the tables and runs the query over them, in this thread. Files and queries are not trusted:
 * run it in a process with limits.
 *
 * @throws DataProblem
 */
export async function queryTables({ sql, maxRows, tables }: QueryJob): Promise<QueryResult> {
  const named = [];
  for (const { name, source, options } of tables)
    named.push({ name, ...(await parseTable(source, options)) });
  const rows = runSql(sql, named, maxRows);
  return {
    ...rows,
    tables: named.map(({ name, columns, rows }) => ({ name, columns, rows: rows.length })),
  };
}
