import type { ToolContext } from "@capstan/core";
import { ChartProblem } from "./chart-problem.ts";

/** A row of a table. Its values are checked when they are drawn. */
export interface Row {
  readonly [column: string]: unknown;
}

/** The source of the rows of a chart. */
export interface RowSource {
  readonly rows?: readonly Row[] | undefined;
  readonly variable?: string | undefined;
}

/** The variables of a call. */
export type VariableReader = Pick<ToolContext, "readVariable" | "variables">;

/** Returns the rows of a chart. @throws ChartProblem */
export async function readRows(
  { rows, variable }: RowSource,
  { readVariable, variables }: VariableReader,
): Promise<readonly Row[]> {
  if (rows !== undefined) return rows;
  if (variable === undefined)
    throw new ChartProblem("unclear_source", "Give rows, the name of a variable, or series.");
  const found = await readVariable(variable);
  if (found === undefined)
    throw new ChartProblem("variable_not_found", variables.missingVariable(variable).message);
  const list = rowsIn(found.value.data ?? parsed(found.value.text));
  if (list === undefined)
    throw new ChartProblem(
      "not_rows",
      `"${variable}" does not hold a list of objects. Make one with TableQuery or JsonQuery, and name its result.`,
    );
  return list;
}

/** Finds the rows in a list of objects, or in the result of a tool that holds one in `rows`. */
function rowsIn(value: unknown): readonly Row[] | undefined {
  const list = isRow(value) ? value["rows"] : value;
  return Array.isArray(list) && list.every(isRow) ? list : undefined;
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns an error for a column that no row has. */
export function checkColumn(rows: readonly Row[], column: string): void {
  if (rows.some((row) => Object.hasOwn(row, column))) return;
  const known = [...new Set(rows.slice(0, 100).flatMap((row) => Object.keys(row)))];
  throw new ChartProblem(
    "unknown_column",
    `There is no column "${column}". The columns are ${known.slice(0, 30).join(", ")}.`,
  );
}
