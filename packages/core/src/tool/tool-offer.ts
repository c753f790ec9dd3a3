import type { RegisteredTool } from "./registry.ts";
import type { Tool } from "./tool.ts";
import type { ToolDefinition } from "../model/model.ts";
import { shortJson } from "../json/short-json.ts";
import { CapstanError } from "../base/errors.ts";
import type { PatternEngine } from "../arguments/pattern-check.ts";
import { compileSchema } from "../arguments/validator.ts";
import { type NamedTool, shownTools, type ToolDeferral } from "./tool-deferral.ts";

/** The tools that one request shows the model, and the meaning of each name. */
export interface ToolOffer {
  /** Without deferred tools that the model has not found; it can still call them by name. */
  readonly definitions: readonly ToolDefinition[];
  /** Name that the model sees → `group.Tool`. Plain JSON, stored with the run. */
  readonly names: { readonly [modelName: string]: string };
  /** Names of the tools that the client runs: its own, and those registered without `execute`. */
  readonly clientNames: ReadonlySet<string>;
  /** The names of all deferred tools, loaded or not. Absent: none is deferred. */
  readonly deferred?: ReadonlySet<string>;
}

/**
 * Names tools for a model: the bare name, or `group_Tool` if the bare name is in use. A client's
 * tools keep their names and come first. The earlier of two tools gets the bare name, so that names
 * are stable.
 *
 * @param deferral absent: the model is shown all definitions
 */
export function offerTools(
  tools: Iterable<RegisteredTool>,
  clientTools: readonly ToolDefinition[] = [],
  deferral?: ToolDeferral,
): ToolOffer {
  const clientNames = new Set(clientTools.map((tool) => tool.function.name));
  const names = Object.create(null) as Record<string, string>;
  const named: NamedTool[] = [];
  const registeredForClient: string[] = [];
  for (const { id, name, tool, group } of tools) {
    const modelName = freeName(
      name,
      group.name,
      (candidate) => candidate in names || clientNames.has(candidate),
    );
    names[modelName] = id;
    const isClients = tool.execute === undefined;
    if (isClients) registeredForClient.push(modelName);
    const definition = withName(definitionForModel(tool), modelName);
    named.push({ id, definition, isClients: false, isAlways: tool.alwaysOffered === true });
  }
  for (const definition of clientTools)
    named.push({ id: definition.function.name, definition, isClients: true, isAlways: false });
  for (const name of registeredForClient) clientNames.add(name);
  if (deferral === undefined)
    return { definitions: named.map(({ definition }) => definition), names, clientNames };
  const shown = shownTools(named, deferral, names);
  // Without deferred tools there is nothing to find.
  if (shown.deferred === undefined)
    for (const [name, id] of Object.entries(names))
      if (id === deferral.searchTool) delete names[name];
  return { ...shown, names, clientNames };
}

const offered = new WeakMap<Tool, ToolDefinition>();

/**
 * Returns a tool's definition for the model. Returns the same object each time, because every round
 * needs it.
 */
export function definitionForModel(tool: Tool): ToolDefinition {
  if (tool.execute === undefined) return tool.definition;
  let known = offered.get(tool);
  if (known === undefined) {
    known = specOf(tool);
    offered.set(tool, known);
  }
  return known;
}

/** Returns only the function spec, because some providers reject further properties next to it. */
function specOf({ definition, declaredReturnType }: Tool): ToolDefinition {
  const { type, function: spec } = definition;
  if (declaredReturnType === undefined)
    return Object.keys(definition).length === 2 ? definition : { type, function: spec };
  const { type: returned, note } = declaredReturnType;
  const returns = `Returns ${returned}${note === undefined ? "" : `: ${note}`}`;
  const description = spec.description === undefined ? returns : `${spec.description}\n${returns}`;
  return { type, function: { ...spec, description } };
}

function withName(definition: ToolDefinition, name: string): ToolDefinition {
  return definition.function.name === name
    ? definition
    : { ...definition, function: { ...definition.function, name } };
}

function freeName(name: string, group: string, taken: (name: string) => boolean): string {
  if (!taken(name)) return name;
  const base = `${group}_${name}`.slice(0, 64);
  for (let n = 1, candidate = base; ; n++, candidate = `${base.slice(0, 60)}_${n}`) {
    if (!taken(candidate)) return candidate;
  }
}

/** The options of `ToolExecutor.offer`. */
export interface OfferOptions {
  /** @default all enabled groups */
  readonly groups?: readonly string[];
  readonly clientTools?: readonly ToolDefinition[];
  readonly allowTool?: (toolId: string) => boolean;
  /** @default the model is shown all definitions */
  readonly deferral?: ToolDeferral;
}

/**
 * Reads the return value of `allowTool`. Only `true` allows a tool; a promise is invalid.
 *
 * @throws CapstanError `invalid_options` if the value is not a boolean
 */
export function isAllowed(value: unknown, toolId: string): boolean {
  if (typeof value === "boolean") return value;
  if (value === undefined || value === null) return false;
  const message = `allowTool returned ${shortJson(value)} for ${toolId}: it must return true or false, not a promise.`;
  throw new CapstanError({ code: "invalid_options", message });
}

/** A part of a tool's schema that cannot be used. */
export interface SchemaProblem {
  /** `group.Tool`. */
  readonly toolId: string;
  /**
   * `refused`: the tool is not offered and cannot be called. `not_enforced`: a part of the schema
   * is ignored.
   */
  readonly status: "refused" | "not_enforced";
  readonly message: string;
}

/** Returns the problems of one tool's schema; usually there are none. */
export function schemaProblems(
  { id, tool }: RegisteredTool,
  pattern: PatternEngine | undefined,
): readonly SchemaProblem[] {
  const { parameters } = tool.definition.function;
  if (parameters === undefined) return [];
  const compiled = compileSchema(parameters, { pattern });
  return compiled.status === "refused"
    ? [{ toolId: id, status: "refused", message: compiled.message }]
    : compiled.notes.map((message) => ({ toolId: id, status: "not_enforced", message }));
}
