import type { ToolErrorData } from "../base/errors.ts";
import { resultNameOf } from "./variable-name.ts";
import type { Variable } from "./variable.ts";
import type { VariableSystem } from "./variable-system.ts";
import { nearestNames } from "../text/nearest-name.ts";

const maxNearest = 5;

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
        message: `The stored value of the variable ${shown} is damaged and cannot be read. ${again}`,
      };
    case "not_kept":
      return {
        code: "variable_not_kept",
        message: `The variable ${shown} could not be kept: it was too large, or there was no room.`,
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

/** Why there is no variable of a name that was there, or was given to a call. */
export interface MissingName {
  readonly reason: "evicted" | "removed" | "damaged" | "not_kept" | "no_result";
  /** The call whose result it was, to repeat: `ListFiles({"path":"."})`. */
  readonly call?: string;
}

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

/** Reads a variable, also if it was evicted. */
export async function readVariable(
  variables: VariableSystem,
  name: string,
): Promise<Variable | undefined> {
  return (await readBack(variables, name)) ? variables.getVariable(name) : undefined;
}

/**
 * Whether a name that is missing for this reason may still be in the source: evicted long ago, it
 * is not known to have been there.
 */
export function isReadable({ code }: ToolErrorData): boolean {
  return code === "variable_evicted" || code === "variable_not_found";
}
