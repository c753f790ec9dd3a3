import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { checksumOfBytes } from "../schema/row-checksums.ts";
import type { Script, SqlValue } from "../sql/script.ts";

/** A connection that prepares each statement once. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.function("row_checksum", { deterministic: true }, checksumOfBytes);
  }

  /** Whether a transaction is open; some errors end it. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /**
   * Runs a statement.
   *
   * @returns the number of changed rows
   */
  run(text: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(text).run(...values).changes);
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a row is what its statement selects
  get<Row>(text: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(text).get(...values) as Row | undefined;
  }

  all<Row>(text: string, ...values: SQLInputValue[]): Row[] {
    const statement = this.#prepare(text);
    try {
      return statement.all(...values) as Row[];
    } catch (thrown) {
      if (!isOutOfRange(thrown)) throw thrown;
      statement.setReadBigInts(true);
      try {
        return statement.all(...values).map(withNumbers) as Row[];
      } finally {
        statement.setReadBigInts(false);
      }
    }
  }

  /** Runs statements without values, which are not cached. */
  exec(text: string): void {
    this.#database.exec(text);
  }

  /** Runs a script to its end. */
  script<T>(script: Script<T>): T {
    let step = script.next([]);
    while (step.done !== true) {
      const rows = step.value.map(({ sql, values }) =>
        this.all(sql.sqlite, ...sqliteValues(values)),
      );
      step = script.next(rows);
    }
    return step.value;
  }

  /** Runs a script that only reads, in one snapshot. */
  read<T>(script: Script<T>): T {
    if (this.inTransaction) return this.script(script);
    this.run("BEGIN");
    try {
      return this.script(script);
    } finally {
      this.run("COMMIT");
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

/** Only a corrupt row has integers over 2^53, and it must not make reads of other rows fail. */
function isOutOfRange(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ERR_OUT_OF_RANGE";
}

function withNumbers(row: { readonly [column: string]: unknown }): object {
  const cells = Object.entries(row);
  return Object.fromEntries(
    cells.map(([name, cell]) => [name, typeof cell === "bigint" ? Number(cell) : cell]),
  );
}

/** Encodes values for a statement; `json_each` reads lists. */
export function sqliteValues(values: readonly SqlValue[]): SQLInputValue[] {
  return values.map((value) =>
    typeof value === "object" && value !== null ? JSON.stringify(value) : value,
  );
}
