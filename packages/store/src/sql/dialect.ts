/** The SQL that differs between the two databases. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Follows a column, as in `WHERE id ${anyOf}`; its value is a list. */
  readonly anyOf: string;
  /** Follows a `SELECT` that a decision depends on: other nodes wait until the commit. */
  readonly lock: (alias: string) => string;
}

/** One process owns the database, so no row needs a lock. */
export const sqlite: Dialect = {
  name: "sqlite",
  anyOf: "IN (SELECT value FROM json_each(?))",
  lock: () => "",
};

/** PostgreSQL, where several nodes can share the database. */
export const postgres: Dialect = {
  name: "postgres",
  anyOf: "= ANY(?)",
  lock: (alias) => ` FOR UPDATE OF ${alias}`,
};
