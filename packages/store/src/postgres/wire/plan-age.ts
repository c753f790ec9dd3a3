import type pg from "pg";
import type { Statement } from "../../sql/script.ts";

/** Plans are made anew with the next statements. Sent by itself: nothing may go before some `BEGIN`s. */
export const discardPlans: Statement = { text: "DISCARD PLANS", values: [] };

/** After how many statements of a connection, and by how much later each time. */
const first = 100;
const factor = 2;

interface Age {
  statements: number;
  next: number;
}

const ages = new WeakMap<Pick<pg.ClientBase, "query">, Age>();

/**
 * Whether plans should be made anew before so many more statements. A plan is made for tables as
 * large as they are then, and those of a young database grow a thousandfold before its own
 * cleaning looks at them.
 */
export function plansAreOld(client: Pick<pg.ClientBase, "query">, statements: number): boolean {
  const age = ages.get(client) ?? { statements: 0, next: first };
  ages.set(client, age);
  age.statements += statements;
  if (age.statements < age.next) return false;
  age.next *= factor;
  return true;
}
