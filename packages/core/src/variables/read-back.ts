import type { ToolErrorData } from "../base/tool-error.ts";
import { resultNameOf } from "./result-name.ts";
import type { VariableSystem } from "./variable-system.ts";

/**
 * Brings an evicted variable back from where it is still to be had, a result with its
 * arguments. Others make room for it.
 *
 * @returns whether there is a variable of that name now
 */
export async function readBack(variables: VariableSystem, name: string): Promise<boolean> {
  if (variables.peekVariable(name) !== undefined) return true;
  const { source } = variables;
  if (source === undefined || !isReadable(variables.missingVariable(name))) return false;
  const result = resultNameOf(name)?.result;
  const names = result === undefined ? [name] : [name, result, `${result}_args`];
  const found = await Promise.all([...new Set(names)].map((one) => source(one)));
  // Meanwhile somebody may have made another of that name.
  const missing = found.filter((one) => one !== undefined && !variables.peekVariable(one.name));
  variables.load(
    missing.filter((one) => one !== undefined),
    { inUse: true },
  );
  return variables.peekVariable(name) !== undefined;
}

/**
 * Whether a name that is missing for this reason may still be in the source: evicted long ago, it
 * is not known to have been there.
 */
export function isReadable({ code }: ToolErrorData): boolean {
  return code === "variable_evicted" || code === "variable_not_found";
}
