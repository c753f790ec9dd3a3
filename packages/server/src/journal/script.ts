/** What a statement takes; an array is for `= ANY(?)`, which PostgreSQL alone has. */
export type SqlValue = string | number | null | readonly (string | number | null)[];

/** A statement whose rows are wanted. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * Statements with what is made of their rows between them, as a generator: SQLite runs it on the
 * spot, PostgreSQL waits for each answer, and what it decides is written once. `?` stands for a
 * value on both.
 *
 * @example
 * function* titleOf(id: string): Script<string | undefined> {
 *   const row = yield* first<{ title: string }>("SELECT title FROM conversations WHERE id = ?", id);
 *   return row?.title;
 * }
 */
export type Script<T> = Generator<Statement, T, readonly unknown[]>;

/** All rows of a statement. */
export function* all<Row>(text: string, ...values: SqlValue[]): Script<readonly Row[]> {
  return (yield { text, values }) as readonly Row[];
}

/** The first row of a statement, or undefined. */
export function* first<Row>(text: string, ...values: SqlValue[]): Script<Row | undefined> {
  return (yield { text, values })[0] as Row | undefined;
}
