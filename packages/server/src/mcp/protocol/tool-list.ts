import { createHash } from "node:crypto";
import type { JsonObject, RegisteredTool, ToolExecutor } from "@capstan/core";
import { titleOf } from "@capstan/core/host";
import type { Tool } from "../../libraries/mcp-server.ts";
import { flatSchema } from "./flat-schema.ts";

/** The longest name of a tool: with the prefixes of hosts it has at most 64 characters. */
const nameChars = 48;

/** The longest description: hosts cut longer ones. */
const descriptionChars = 1_024;

/** A listed definition, and the tool that a call of it runs. */
export interface ListedTool {
  readonly definition: Tool;
  readonly registered: RegisteredTool;
}

/**
 * Returns the tools that a principal's programs can call, by their names: the enabled tools that
 * are not hidden, of all groups or of one group.
 *
 * @param reserved names that other tools have
 */
export function listTools(
  executor: ToolExecutor,
  {
    group,
    reserved = [],
  }: { readonly group?: string | undefined; readonly reserved?: readonly string[] },
): ReadonlyMap<string, ListedTool> {
  const { definitions, names } = executor.offer(group === undefined ? {} : { groups: [group] });
  const listed = new Map<string, ListedTool>();
  for (const { function: spec } of definitions) {
    const id = Object.hasOwn(names, spec.name) ? names[spec.name] : undefined;
    const registered = id === undefined ? undefined : executor.gate.registry.tool(id);
    if (registered?.tool.execute === undefined || registered.tool.hidden === true) continue;
    const isTaken = (name: string) => listed.has(name) || reserved.includes(name);
    const name = shortName(spec.name, registered.id, isTaken);
    listed.set(name, { definition: definitionOf(registered, name, spec), registered });
  }
  return listed;
}

function shortName(name: string, id: string, isTaken: (name: string) => boolean): string {
  if (name.length <= nameChars && !isTaken(name)) return name;
  const hash = createHash("sha256").update(id).digest("hex").slice(0, 6);
  return `${name.slice(0, nameChars - 7)}_${hash}`;
}

function definitionOf(
  { tool, group }: RegisteredTool,
  name: string,
  spec: { readonly description?: string; readonly parameters?: unknown },
): Tool {
  const readOnly = tool.effects === "read";
  const { description = "" } = spec;
  return {
    name,
    title: `${titleOf(group)}: ${tool.definition.function.name}`,
    description:
      description.length > descriptionChars
        ? `${description.slice(0, descriptionChars - 1).toWellFormed()}…`
        : description,
    inputSchema: flatSchema((spec.parameters ?? {}) as JsonObject) as Tool["inputSchema"],
    // Some hosts refuse to run a tool without all four annotations.
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: !readOnly && tool.variableTool !== true,
      idempotentHint: tool.idempotent ?? readOnly,
      openWorldHint: tool.variableTool !== true,
    },
  };
}

/** The number of tools on a page. */
const pageSize = 40;

/**
 * Returns a page of a list, and the cursor of the next page.
 *
 * @returns `undefined` if there is no such cursor
 */
export function pageOf<T>(
  all: readonly T[],
  cursor: string | undefined,
  size = pageSize,
): { readonly page: readonly T[]; readonly nextCursor?: string } | undefined {
  const from = cursor === undefined || cursor === "" ? 0 : Number(cursor);
  if (!Number.isInteger(from) || from < 0 || (from > 0 && from >= all.length)) return undefined;
  const to = from + size;
  return { page: all.slice(from, to), ...(to < all.length && { nextCursor: String(to) }) };
}
