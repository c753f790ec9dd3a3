import { nearestNames } from "../text/nearest-name.ts";
import type { ToolErrorData } from "../base/tool-error.ts";
import type { MissingName } from "./missing-names.ts";

const maxNearest = 5;

/** Says of a variable that is not there what became of it and what to do. */
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
