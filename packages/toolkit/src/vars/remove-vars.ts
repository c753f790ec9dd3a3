import { defineTool, type Tool, type VariableSystem } from "@capstan/core";
import { z } from "zod";
import { countOf } from "../text/format-bytes.ts";

const parameters = z.object({
  names: z.array(z.string()).min(1).max(200).describe("The variables to remove, e.g. draft."),
});

type Removal = ReturnType<VariableSystem["removeVariables"]>;

/**
 * `RemoveVars`: removes variables. Rules and variables that a user keeps are not removed, and the
 * result names them.
 */
export function removeVars(): Tool {
  return defineTool({
    name: "RemoveVars",
    description:
      "Removes variables that are no longer needed. Rules and variables that the user keeps are not removed.",
    parameters,
    effects: { locks: ({ names }) => names.map((name) => `var:${name}`) },
    examples: [
      { title: "Remove a variable that is no longer needed.", args: { names: ["draft"] } },
    ],
    permission: { executionPolicy: "auto" },
    idempotent: true,
    variableTool: true,
    compressArgs: ({ names }) => names.join(", "),
    formatForLLM: ({ removed, failed }: Removal) =>
      [
        `Removed ${countOf(removed.length, "variable")}${removed.length > 0 ? `: ${removed.join(", ")}` : ""}.`,
        ...failed.map(({ name, reason }) => `Not removed: ${name}. ${reason}`),
      ].join("\n"),
    execute: ({ names }, { variables }) => remove(names, variables),
  });
}

function remove(names: readonly string[], variables: VariableSystem): Removal {
  const kept = new Set(names.filter((name) => isKept(name, variables)));
  const { removed, failed } = variables.removeVariables(names.filter((name) => !kept.has(name)));
  const reason = "It has `keep` set, so only the user can remove it.";
  return { removed, failed: [...failed, ...Array.from(kept, (name) => ({ name, reason }))] };
}

function isKept(name: string, variables: VariableSystem): boolean {
  const found = variables.peekVariable(name);
  return found !== undefined && found.keep && found.type !== "RULE";
}
