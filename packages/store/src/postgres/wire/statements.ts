import type pg from "pg";
import type { Script, SqlValue, Statement } from "../../sql/script.ts";
import { bind, statement } from "../../sql/statement.ts";
import { encodeArray } from "./array-value.ts";
import { type BoundStatement, StatementBatch } from "./statement-batch.ts";
import { encodeText } from "./text-codec.ts";

const names = new Map<string, Pick<BoundStatement, "name" | "text">>();

/** Replaces `?` by `$1`, `$2`, … and gives each text a name. */
function named(text: string): Pick<BoundStatement, "name" | "text"> {
  const known = names.get(text);
  if (known !== undefined) return known;
  let n = 0;
  const numbered = text.replaceAll("?", () => `$${(n += 1)}`);
  const statement = { name: `s${names.size}`, text: numbered };
  names.set(text, statement);
  return statement;
}

/** A connection that statements are sent over. */
export type Client = Pick<pg.ClientBase, "query">;

/**
 * Sends statements in one message. They run in order until the first failure.
 *
 * @returns the rows of each
 */
export function sendAll(
  client: Client,
  statements: readonly Statement[],
): Promise<readonly (readonly unknown[])[]> {
  if (statements.length === 0) return Promise.resolve([]);
  // Not awaited, so that statements remain in order. If it fails, the statements fail, too.
  if (plansAreOld(client, statements.length)) sendBatch(client, [discardPlans]).catch(() => {});
  return sendBatch(client, statements);
}

/**
 * Sends statements behind others in one message.
 *
 * @returns the rows of the statements, without those of the others
 */
export async function sendAfter(
  client: Client,
  before: readonly Statement[],
  statements: readonly Statement[],
): Promise<readonly (readonly unknown[])[]> {
  return (await sendAll(client, [...before, ...statements])).slice(before.length);
}

function sendBatch(
  client: Client,
  statements: readonly Statement[],
): Promise<readonly (readonly unknown[])[]> {
  const bound = statements.map(({ sql, values }) => ({
    ...named(sql.postgres),
    values: values.map(encodeValue),
  }));
  return client.query(new StatementBatch(bound)).done;
}

/**
 * Sends a statement.
 *
 * @returns its rows
 */
export async function send(client: Client, statement: Statement): Promise<readonly unknown[]> {
  const [rows = []] = await sendAll(client, [statement]);
  return rows;
}

function encodeValue(value: SqlValue): string | Buffer | null {
  if (typeof value === "string") return encodeText(value);
  if (typeof value === "number") return String(value);
  return value === null ? null : encodeArray(value);
}

/**
 * Makes the next statements plan again. It is sent in a separate message, because some `BEGIN`s
 * must be first in their message.
 */
const discardPlans = bind(statement({}, { postgres: "DISCARD PLANS" }));

/**
 * The number of statements of a connection before it plans again, and the factor of each later
 * interval.
 */
const firstAge = 100;
const ageFactor = 2;

interface Age {
  statements: number;
  next: number;
}

const ages = new WeakMap<Client, Age>();

/**
 * Returns whether a connection should plan again before more statements. A plan fits the tables'
 * sizes at its creation, and tables of a new database can grow a thousandfold before autovacuum
 * analyzes them.
 */
export function plansAreOld(client: Client, statements: number): boolean {
  const age = ages.get(client) ?? { statements: 0, next: firstAge };
  ages.set(client, age);
  age.statements += statements;
  if (age.statements < age.next) return false;
  age.next *= ageFactor;
  return true;
}

/** Runs a script to its end, waiting for each answer. */
export async function runScript<T>(
  script: Script<T>,
  answer: (statements: readonly Statement[]) => Promise<readonly (readonly unknown[])[]>,
): Promise<T> {
  let step = script.next([]);
  while (step.done !== true) step = script.next(await answer(step.value));
  return step.value;
}
