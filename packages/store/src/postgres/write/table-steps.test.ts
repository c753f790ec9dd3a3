import assert from "node:assert/strict";
import { test } from "node:test";
import type { RowChange } from "./row-statements.ts";
import { TableSteps } from "./table-steps.ts";

const insert = (run_n: number): RowChange => ({
  type: "insert",
  table: "run_variables",
  row: { run_n, n: 1, owner: "o", changes: "[]" },
});
const remove = (run_n: number): RowChange => ({
  type: "remove",
  table: "run_variables",
  where: { run_n },
});
const [first, second, third] = [{}, {}, {}];

const sent = (steps: TableSteps) =>
  steps.statements.map(({ sql, values }) => [sql.postgres.split(" ")[0], values[0]]);

test("what other lanes did between them does not part changes of one kind", () => {
  const steps = new TableSteps();
  steps.add(insert(1), first);
  steps.add(remove(2), second);
  steps.add(remove(1), first);
  steps.add(insert(3), third);
  assert.deepEqual(sent(steps), [
    ["INSERT", [1, 3]],
    ["DELETE", [2, 1]],
  ]);
});

test("a lane's changes stay in their order", () => {
  const steps = new TableSteps();
  steps.add(insert(1), first);
  steps.add(remove(1), first);
  steps.add(insert(1), first);
  steps.add(remove(2), second);
  assert.deepEqual(sent(steps), [
    ["INSERT", [1]],
    ["DELETE", [1, 2]],
    ["INSERT", [1]],
  ]);
});

test("what is of no lane comes after all before it, and before all that follows", () => {
  const steps = new TableSteps();
  steps.add(insert(1), first);
  steps.add(remove(2), second);
  steps.add(insert(3), undefined);
  steps.add(remove(4), second);
  steps.addBarrier();
  steps.add(insert(5), third);
  assert.deepEqual(sent(steps), [
    ["INSERT", [1]],
    ["DELETE", [2]],
    ["INSERT", [3]],
    ["DELETE", [4]],
    ["INSERT", [5]],
  ]);
});

test("a row that changes twice changes in two statements: the first may decide about the second", () => {
  const steps = new TableSteps();
  const answer = (id: string, status: string): RowChange => ({
    type: "update",
    table: "approvals",
    where: { id, status: "pending" },
    to: { status },
  });
  steps.add(answer("a", "allowed"), first);
  steps.add(answer("a", "refused"), first);
  steps.add(answer("b", "refused"), second);
  const text = `UPDATE approvals t SET status = given.g2
    FROM unnest(?::text[], ?::text[], ?::text[]) AS given (g0, g1, g2) WHERE t.id = given.g0 AND t.status = given.g1`;
  assert.deepEqual(
    steps.statements.map(({ sql, values }) => ({ text: sql.postgres.split(/\s+/), values })),
    [
      {
        text: text.split(/\s+/),
        values: [
          ["a", "b"],
          ["pending", "pending"],
          ["allowed", "refused"],
        ],
      },
      { text: text.split(/\s+/), values: [["a"], ["pending"], ["refused"]] },
    ],
  );
});
