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
    missing?.call === undefined ? "Make the value again." : `Call ${missing.call} again to get it.`;
  switch (missing?.reason) {
    case "evicted":
      return {
        code: "variable_evicted",
        message: `The variable ${shown} was evicted to make room. ${again}`,
      };
    case "removed":
      return { code: "variable_removed", message: `The variable ${shown} was removed. ${again}` };
    case "damaged":
      return {
        code: "variable_damaged",
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
        message: `There is no variable ${shown}: that call has not ended yet, was refused, or failed before it ran.`,
      };
    case undefined: {
      const nearest = nearestNames(name, names(), maxNearest);
      const hint =
        nearest.length === 0
          ? "ListVars shows the variables there are."
          : `Did you mean ${nearest.join(", ")}?`;
      return {
        code: "variable_not_found",
        message: `There is no variable ${shown}. ${hint}`,
        details: { nearest },
      };
    }
  }
}

/** The reason why a name that had a variable, or was reserved for a call, has none. */
export interface MissingName {
  readonly reason: "evicted" | "removed" | "damaged" | "not_kept" | "no_result";
  /** The call that creates the result again: `ListFiles({"path":"."})`. */
  readonly call?: string;
}

/**
 * Restores an evicted variable from the variables' source; restores a result together with its
 * arguments. Evicts other variables to make room.
 *
 * @returns whether there is a variable with that name now
 */
export async function readBack(variables: VariableSystem, name: string): Promise<boolean> {
  if (variables.peekVariable(name) !== undefined) return true;
  const { source } = variables;
  if (source === undefined || !isReadable(variables.missingVariable(name))) return false;
  const result = resultNameOf(name)?.result;
  const names = result === undefined ? [name] : [name, result, `${result}_args`];
  const found = await Promise.all([...new Set(names)].map((one) => source(one)));
  // A variable with that name may have been created during the read.
  const missing = found.filter((one) => one !== undefined && !variables.peekVariable(one.name));
  variables.load(
    missing.filter((one) => one !== undefined),
    { inUse: true },
  );
  return variables.peekVariable(name) !== undefined;
}

/** Reads a variable, even if it was evicted. */
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
  return code === "variable_evicted" || code === "variable_not_found";
}
