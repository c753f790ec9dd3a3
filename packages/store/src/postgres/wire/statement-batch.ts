import pg from "pg";
import { decodeText } from "./text-codec.ts";

/** A statement that each connection plans once, under a name, with its encoded values. */
export interface BoundStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
}

type Row = { [column: string]: unknown };
type Rows = readonly Row[];

interface Column {
  readonly name: string;
  readonly read: (text: string) => unknown;
}

/** The columns of each statement that a connection has parsed and described. */
const described = new WeakMap<pg.Connection, Map<string, readonly Column[]>>();

/**
 * Statements that are sent in one message and answered in one response. They run in order until the
 * first failure. Passed to the driver's `query`, which queues it behind earlier ones.
 */
export class StatementBatch implements pg.Submittable {
  /** The rows of each statement. */
  readonly done: Promise<readonly Rows[]>;
  readonly #statements: readonly BoundStatement[];
  readonly #settle: PromiseWithResolvers<readonly Rows[]>;
  readonly #results: Row[][] = [[]];
  #known = new Map<string, readonly Column[]>();
  #columns: readonly Column[] = [];
  /** An error while reading the response. The remaining response is still read. */
  #fault: Error | undefined;

  constructor(statements: readonly BoundStatement[]) {
    this.#statements = statements;
    this.#settle = Promise.withResolvers();
    this.done = this.#settle.promise;
  }

  submit(connection: pg.Connection): void {
    this.#known = described.get(connection) ?? new Map<string, readonly Column[]>();
    described.set(connection, this.#known);
    connection.stream.cork();
    const sent = new Set<string>();
    for (const { name, text, values } of this.#statements) {
      const isNew = !this.#known.has(name);
      if (isNew && !sent.has(name)) {
        // A failed batch can have left the transaction open.
        connection.close({ type: "S", name }, true);
        connection.parse({ name, text, types: [] }, true);
        sent.add(name);
      }
      connection.bind({ statement: name, values: [...values] }, true);
      if (isNew) connection.describe({ type: "P" }, true);
      connection.execute({}, true);
    }
    connection.sync();
    connection.stream.uncork();
    this.#columns = this.#known.get(this.#statements[0]?.name ?? "") ?? [];
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(dataTypeID) }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      this.#results.at(-1)?.push(rowOf(this.#columns, fields));
    } catch (thrown) {
      // Throwing the error here would end the process, because the driver's parser does not catch
      // exceptions.
      this.#fault ??= thrown instanceof Error ? thrown : new Error(String(thrown));
    }
  }

  handleCommandComplete({ text: done }: { readonly text: string }): void {
    const at = this.#results.length - 1;
    const { name = "", text } = this.#statements[at] ?? {};
    // PostgreSQL answers `COMMIT` like this if an earlier statement failed, even if its error was
    // ignored.
    if (text === "COMMIT" && done === "ROLLBACK")
      this.#fault ??= new Error("The transaction had failed, and was rolled back");
    this.#known.set(name, this.#columns);
    if (at + 1 === this.#statements.length) return;
    this.#results.push([]);
    this.#columns = this.#known.get(this.#statements[at + 1]?.name ?? "") ?? [];
  }

  handleReadyForQuery(): void {
    if (this.#fault === undefined) this.#settle.resolve(this.#results);
    else this.#settle.reject(this.#fault);
  }

  handleError(error: Error): void {
    this.#settle.reject(error);
  }
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[]): Row {
  const row: Row = {};
  for (const [index, { name, read }] of columns.entries()) {
    const text = fields[index] ?? null;
    row[name] = text === null ? null : read(text);
  }
  return row;
}

/** Numbers in this database are counts, times and sizes, all below 2^53. */
const numbers: ReadonlySet<number> = new Set([20, 21, 23, 1700]);
const texts: ReadonlySet<number> = new Set([25, 1043]);

function readerOf(type: number): (text: string) => unknown {
  if (numbers.has(type)) return Number;
  if (texts.has(type)) return decodeText;
  return pg.types.getTypeParser(type) as (text: string) => unknown;
}
