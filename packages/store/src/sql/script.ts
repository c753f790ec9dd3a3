import type { SqlStatement } from "./statement.ts";

/** A value of a statement; a list is for `anyOf`. */
export type SqlValue = string | number | null | readonly (string | number | null)[];

/** A statement with its values. */
export interface Statement {
  readonly sql: SqlStatement;
  readonly values: readonly SqlValue[];
}

/**
 * A sequence of statements with the code between them, as a generator. SQLite runs it
 * synchronously, and PostgreSQL waits for each answer, so each decision is written once. Statements
 * that are yielded together are sent together and return the rows of each.
 *
 * @example
 * const selectTitle: SqlStatement<{ title: string }> = statement(["conversations"], "SELECT …");
 * function* titleOf(id: string): Script<string | undefined> {
 *   const row = yield* first(selectTitle, id);
 *   return row?.title;
 * }
 */
export type Script<T> = Generator<readonly Statement[], T, readonly (readonly unknown[])[]>;

/** Returns all rows of a statement. */
export function* all<Row>(
  sql: SqlStatement<Row>,
  ...values: readonly SqlValue[]
): Script<readonly Row[]> {
  const [rows = []] = yield [{ sql, values }];
  return rows as readonly Row[];
}

/** Returns the first row of a statement, or undefined if there is none. */
export function* first<Row>(
  sql: SqlStatement<Row>,
  ...values: readonly SqlValue[]
): Script<Row | undefined> {
  const [rows = []] = yield [{ sql, values }];
  return rows[0] as Row | undefined;
}

type Results<T extends readonly Script<unknown>[]> = {
  -readonly [K in keyof T]: T[K] extends Script<infer Result> ? Result : never;
};

/**
 * Runs several independent scripts and sends their statements together.
 *
 * @example
 * const [calls, texts] = yield* together([readCalls(n), readTexts(n)]);
 */
export function* together<const T extends readonly Script<unknown>[]>(
  scripts: T,
): Script<Results<T>> {
  const steps = scripts.map((script) => script.next([]));
  for (;;) {
    const open = [...steps.entries()].flatMap(([index, step]) =>
      step.done === true ? [] : [{ index, asked: step.value }],
    );
    if (open.length === 0) return steps.map((step) => step.value) as Results<T>;
    const rows = yield open.flatMap(({ asked }) => asked);
    let from = 0;
    for (const { index, asked } of open) {
      const script = scripts[index];
      if (script !== undefined) steps[index] = script.next(rows.slice(from, from + asked.length));
      from += asked.length;
    }
  }
}
