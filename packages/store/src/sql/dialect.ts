import type { SqlValue } from "./script.ts";

/** The few places where the two databases want different words. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** After a column: `WHERE id ${anyOf}`; its value is `list(values)`. */
  readonly anyOf: string;
  list(values: readonly (string | number)[]): SqlValue;
  /** After a `SELECT` that a decision rests on: other nodes wait until the commit. */
  lock(alias: string): string;
  /** Gives the next run's `n`. */
  readonly nextRun: string;
}

/** One process has the database: there is nobody to lock out. */
export const sqlite: Dialect = {
  name: "sqlite",
  anyOf: "IN (SELECT value FROM json_each(?))",
  list: (values) => JSON.stringify(values),
  lock: () => "",
  nextRun: "SELECT COALESCE(MAX(n), 0) + 1 AS n FROM runs",
};

export const postgres: Dialect = {
  name: "postgres",
  anyOf: "= ANY(?)",
  list: (values) => values,
  lock: (alias) => ` FOR UPDATE OF ${alias}`,
  nextRun: "SELECT nextval('run_numbers') AS n",
};
