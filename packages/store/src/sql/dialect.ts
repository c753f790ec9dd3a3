/** The few places where the two databases want different words. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** After a column: `WHERE id ${anyOf}`; the value is a list. */
  readonly anyOf: string;
  /** After a `SELECT` that a decision rests on: other nodes wait until the commit. */
  readonly lock: (alias: string) => string;
}

/** One process has the database: there is nobody to lock out. */
export const sqlite: Dialect = {
  name: "sqlite",
  anyOf: "IN (SELECT value FROM json_each(?))",
  lock: () => "",
};

export const postgres: Dialect = {
  name: "postgres",
  anyOf: "= ANY(?)",
  lock: (alias) => ` FOR UPDATE OF ${alias}`,
};
