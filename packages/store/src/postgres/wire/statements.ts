import type pg from "pg";
import type { SqlValue, Statement } from "../../sql/script.ts";
import { encodeArray } from "./array-value.ts";
import { discardPlans, plansAreOld } from "./plan-age.ts";
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
  const bound = statements.map(({ text, values }) => ({
    ...named(text),
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
