import type { ToolErrorData } from "../base/errors.ts";
import { resultNameOf } from "./variable-name.ts";
import type { Variable } from "./variable.ts";
import type { VariableSystem } from "./variable-system.ts";
import { nearestNames } from "../text/nearest-name.ts";

const maxNearest = 5;

/** Returns the error for a missing variable, with its reason and advice for the model. */
export function missingVariableError(
  name: string,
  missing: MissingName | undefined,
  names: () => Iterable<string>,
): ToolErrorData {
  const shown = name.slice(0, 200);
  const again =
    missing?.call === undefined ? "Create it again." : `Call ${missing.call} again to get it.`;
  switch (missing?.reason) {
    case "evicted":
      return {
        code: "variable_evicted",
        message: `The variable ${shown} was evicted to make room. ${again}`,
      };
    case "unread":
      return {
        code: "variable_not_in_memory",
        message: `The value of the variable ${shown} is not in memory. Read it with ReadVar, and call again.`,
      };
    case "removed":
      return { code: "variable_removed", message: `The variable ${shown} was removed. ${again}` };
    case "corrupt":
      return {
        code: "variable_corrupt",
        message: `The stored value of the variable ${shown} is corrupt and cannot be read. ${again}`,
      };
    case "not_kept":
      return {
        code: "variable_not_kept",
        message: `The variable ${shown} was not stored: it was too large, or there was no room.`,
      };
    case "no_result":
      return {
        code: "variable_without_result",
        message: `There is no variable ${shown}: that call has not ended yet, was denied, or failed before it ran.`,
      };
    case undefined: {
      const nearest = nearestNames(name, names(), maxNearest);
      const hint =
        nearest.length === 0
          ? "ListVars lists the variables."
          : `Did you mean ${nearest.join(", ")}?`;
      return {
        code: "variable_not_found",
        message: `There is no variable ${shown}. ${hint}`,
        details: { nearest },
      };
    }
  }
}

/**
 * The reason why a name that had a variable, or was reserved for a call, has none, or why its
 * variable has no value in memory (`unread`).
 */
export interface MissingName {
  readonly reason: "evicted" | "unread" | "removed" | "corrupt" | "not_kept" | "no_result";
  /** The call that creates the result again: `ListFiles({"path":"."})`. */
  readonly call?: string;
}

/**
 * Reads a variable's value from the variables' source if it is not in memory. Restores an evicted
 * variable; restores a result together with its arguments. Evicts other variables to make room.
 *
 * @returns whether there is a variable with that name and its value now
 */
export async function readBack(variables: VariableSystem, name: string): Promise<boolean> {
  if (variables.hasValue(name)) return true;
  const { source } = variables;
  if (source === undefined) return false;
  const unread = variables.peekVariable(name);
  if (unread !== undefined) {
    const found = await source(unread.name);
    if (found === undefined || found === "corrupt") variables.markCorrupt(unread.name);
    else variables.addValue(found);
    return variables.hasValue(name);
  }
  if (!isReadable(variables.missingVariable(name))) return false;
  const result = resultNameOf(name)?.result;
  const names = result === undefined ? [name] : [name, result, `${result}_args`];
  const found = await Promise.all([...new Set(names)].map((one) => source(one)));
  const variablesFound = found.filter((one) => one !== undefined && one !== "corrupt");
  // A variable with that name may have been created during the read.
  const missing = variablesFound.filter((one) => !variables.peekVariable(one.name));
  variables.load(missing, { inUse: true });
  return variables.hasValue(name);
}

/** Reads all values that are not in memory, one after another. */
export async function readAllValues(variables: VariableSystem): Promise<void> {
  for (const name of variables.names()) await readBack(variables, name);
}

/** Reads a variable, even if it was evicted or its value is not in memory. */
export async function readVariable(
  variables: VariableSystem,
  name: string,
): Promise<Variable | undefined> {
  return (await readBack(variables, name)) ? variables.getVariable(name) : undefined;
}

/**
 * Whether the source may still have a variable that is missing for this reason.
 * `variable_not_found` is included, because the reason for an old eviction is no longer stored.
 */
export function isReadable({ code }: ToolErrorData): boolean {
  return (
    code === "variable_evicted" ||
    code === "variable_not_found" ||
    code === "variable_not_in_memory"
  );
}
