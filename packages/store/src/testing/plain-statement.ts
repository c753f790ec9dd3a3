import type { SqlValue, Statement } from "../sql/script.ts";
import type { SqlStatement } from "../sql/statement.ts";
import type { TableName } from "../sql/tables.ts";

/** Returns a statement for one test, which is not declared for the others. */
export function plainSql<Row = unknown>(
  text: string,
  tables: { readonly reads?: readonly TableName[]; readonly writes?: readonly TableName[] } = {},
): SqlStatement<Row> {
  return { sqlite: text, postgres: text, reads: [], writes: [], ...tables };
}

/** Returns such a statement with its values. */
export function plainStatement(text: string, ...values: readonly SqlValue[]): Statement {
  return { sql: plainSql(text), values };
}
