import type { Dialect } from "../sql/dialect.ts";

/** A numbered step of the schema. */
export interface Migration {
  readonly version: number;
  readonly statements: readonly MigrationStatement[];
}

/** A text for both databases, or one for each; a database without a text skips the statement. */
export type MigrationStatement = string | { readonly [name in Dialect["name"]]?: string };
