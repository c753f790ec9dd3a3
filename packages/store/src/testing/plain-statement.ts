import type { SqlValue, Statement } from "../sql/script.ts";
import type { SqlStatement } from "../sql/statement.ts";
import type { TableName } from "../sql/tables.ts";

/** A statement of a test's own, which is not declared for all. */
export function plainSql<Row = unknown>(
  text: string,
  tables: { readonly reads?: readonly TableName[]; readonly writes?: readonly TableName[] } = {},
): SqlStatement<Row> {
  return { sqlite: text, postgres: text, reads: [], writes: [], ...tables };
}

/** The same with its values. */
export function plainStatement(text: string, ...values: readonly SqlValue[]): Statement {
  return { sql: plainSql(text), values };
}
