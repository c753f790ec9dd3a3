import type { ToolGroup } from "@capstan/core";
import type { Configuration } from "../configuration/configuration.ts";
import { isOnByDefault } from "./built-in-groups.ts";

/** The built-in tool of each hosted type, as `group.Tool`. */
const toolOfType: Configuration["hostedTools"] = {
  code_interpreter: "code.Python",
};

/**
 * Returns the built-in tools that are bound to hosted types unless the configuration binds others: those whose
 * group is on and that have what they need.
 */
export function ownHostedTools(
  shipped: readonly ToolGroup[],
  configuration: Pick<Configuration, "groups">,
): Configuration["hostedTools"] {
  const usable = new Set(
    shipped
      .filter(({ name }) => configuration.groups[name] ?? isOnByDefault(name))
      .flatMap(({ name, tools }) =>
        tools
          .filter(({ unavailable }) => unavailable === undefined)
          .map(({ definition }) => `${name}.${definition.function.name}`),
      ),
  );
  return Object.fromEntries(Object.entries(toolOfType).filter(([, id]) => usable.has(id)));
}
