import type pg from "pg";
import type { SqlValue, Statement } from "../script.ts";
import { decodeText, encodeText } from "./text-codec.ts";

interface Prepared {
  readonly name: string;
  readonly text: string;
}

const prepared = new Map<string, Prepared>();

/** `?` becomes `$1`, `$2`, …; each text is planned once a connection, under a name. */
function prepare(text: string): Prepared {
  const known = prepared.get(text);
  if (known !== undefined) return known;
  let n = 0;
  const numbered = text.replaceAll("?", () => `$${(n += 1)}`);
  const statement = { name: `s${prepared.size}`, text: numbered };
  prepared.set(text, statement);
  return statement;
}

/** Sends a statement. Its rows have what was given, as it was given. */
export async function send(
  client: Pick<pg.ClientBase, "query">,
  { text, values }: Statement,
): Promise<readonly unknown[]> {
  const result = await client.query<{ [column: string]: unknown }>({
    ...prepare(text),
    values: values.map(encodeValue),
  });
  for (const row of result.rows) decodeRow(row);
  return result.rows;
}

function encodeValue(value: SqlValue): unknown {
  if (typeof value === "string") return encodeText(value);
  if (typeof value !== "object" || value === null) return value;
  return value.map((each) => (typeof each === "string" ? encodeText(each) : each));
}

function decodeRow(row: { [column: string]: unknown }): void {
  for (const column in row) {
    const value = row[column];
    if (typeof value === "string") row[column] = decodeText(value);
  }
}
