import type pg from "pg";
import type { Script, SqlValue, Statement } from "../../sql/script.ts";
import { bind, statement } from "../../sql/statement.ts";
import { encodeArray } from "./array-value.ts";
import { type BoundStatement, StatementBatch } from "./statement-batch.ts";
import { encodeText } from "./text-codec.ts";

const names = new Map<string, Pick<BoundStatement, "name" | "text">>();

/** `?` becomes `$1`, `$2`, …; each text has its name. */
function named(text: string): Pick<BoundStatement, "name" | "text"> {
  const known = names.get(text);
  if (known !== undefined) return known;
  let n = 0;
  const numbered = text.replaceAll("?", () => `$${(n += 1)}`);
  const statement = { name: `s${names.size}`, text: numbered };
  names.set(text, statement);
  return statement;
}

/** What statements are sent over. */
export type Client = Pick<pg.ClientBase, "query">;

/**
 * Sends statements in one message; they are done in order, and the first that fails ends them. Their
 * rows have what was given, as it was given.
 *
 * @returns the rows of each
 */
export function sendAll(
  client: Client,
  statements: readonly Statement[],
): Promise<readonly (readonly unknown[])[]> {
  if (statements.length === 0) return Promise.resolve([]);
  // Not waited for, so that statements go in the order in which they were given. Where it fails, so do they.
  if (plansAreOld(client, statements.length)) sendBatch(client, [discardPlans]).catch(() => {});
  return sendBatch(client, statements);
}

/** @returns the rows of the statements alone; those that go before them give none that are wanted */
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

/** @returns a statement's rows */
export async function send(client: Client, statement: Statement): Promise<readonly unknown[]> {
  const [rows = []] = await sendAll(client, [statement]);
  return rows;
}

function encodeValue(value: SqlValue): string | Buffer | null {
  if (typeof value === "string") return encodeText(value);
  if (typeof value === "number") return String(value);
  return value === null ? null : encodeArray(value);
}

/** Plans are made anew with the next statements. Sent by itself: nothing may go before some `BEGIN`s. */
const discardPlans = bind(statement({}, { postgres: "DISCARD PLANS" }));

/** After how many statements of a connection, and by how much later each time. */
const firstAge = 100;
const ageFactor = 2;

interface Age {
  statements: number;
  next: number;
}

const ages = new WeakMap<Client, Age>();

/**
 * Whether plans should be made anew before so many more statements. A plan is made for tables as
 * large as they are then, and those of a young database grow a thousandfold before its own
 * cleaning looks at them.
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
