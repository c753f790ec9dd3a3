import { nearestNames } from "../../text/nearest-name.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import type { Gate } from "./gate.ts";

export type ToolLookup =
  | { readonly status: "found"; readonly registered: RegisteredTool }
  | { readonly status: "not_found"; readonly error: ToolErrorData };

/**
 * Stage 1. A tool is there when it is registered, and its group and it are switched on.
 * `names` is what the model was shown; without it the name is an id or a bare name.
 */
export function findTool(
  gate: Gate,
  name: string,
  names?: { readonly [modelName: string]: string },
): ToolLookup {
  const registered = names === undefined ? findByName(gate, name) : offered(gate, name, names);
  if (registered !== undefined && isEnabled(gate, registered))
    return { status: "found", registered };
  return { status: "not_found", error: notFound(gate, name, names, registered) };
}

/** What was not offered is not there, whatever is registered. */
function offered(gate: Gate, name: string, names: { readonly [modelName: string]: string }) {
  const id = Object.hasOwn(names, name) ? names[name] : undefined;
  return id === undefined ? undefined : gate.registry.tool(id);
}

/** Whether the switches let a tool be called. */
export function isEnabled(gate: Gate, { id, group, tool }: RegisteredTool): boolean {
  return gate.switches.tool(id) && (gate.switches.group(group.name) || tool.alwaysOffered === true);
}

function findByName(gate: Gate, name: string): RegisteredTool | undefined {
  const byId = gate.registry.tool(name);
  if (byId !== undefined) return byId;
  let off: RegisteredTool | undefined;
  for (const registered of gate.registry.tools()) {
    if (registered.name !== name) continue;
    if (isEnabled(gate, registered)) return registered;
    off ??= registered;
  }
  return off;
}

function notFound(
  gate: Gate,
  name: unknown,
  names: { readonly [modelName: string]: string } | undefined,
  off: RegisteredTool | undefined,
): ToolErrorData {
  if (off !== undefined) {
    return {
      code: "tool_disabled",
      message: `The tool "${off.name}" is switched off here. Do without it, or ask the person to switch it on.`,
    };
  }
  const known =
    names === undefined
      ? [...gate.registry.tools()].filter((tool) => isEnabled(gate, tool)).map((tool) => tool.name)
      : Object.keys(names);
  // A program may call with what is no text.
  const shown = typeof name === "string" ? name.slice(0, 100) : typeof name;
  const near = nearestNames(shown, known);
  const hint =
    near.length > 0
      ? ` Did you mean ${near.join(", ")}?`
      : known.length > 0
        ? ` There are: ${known.slice(0, 20).join(", ")}.`
        : "";
  return { code: "tool_not_found", message: `There is no tool "${shown}".${hint}` };
}
