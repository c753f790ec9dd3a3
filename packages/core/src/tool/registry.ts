import { digest } from "../json/json-value.ts";
import { CapstanError, type ToolErrorData } from "../base/errors.ts";
import type { Tool, ToolGroup } from "./tool.ts";
import { compileSchema } from "../arguments/validator.ts";
import type { JsonSchema } from "../base/json.ts";
import { skillRuleProblem } from "./tool-rules.ts";
import { nearestNames } from "../text/nearest-name.ts";

/** A tool and the group in which it is registered. */
export interface RegisteredTool {
  /** `group.Tool`. */
  readonly id: string;
  readonly name: string;
  readonly tool: Tool;
  readonly group: ToolGroup;
}

/**
 * The groups of an installation. All lists of groups and tools are in the order of registration.
 */
export class ToolRegistry {
  readonly #groups = new Map<string, ToolGroup>();
  readonly #tools = new Map<string, RegisteredTool>();

  /**
   * Registers all of the group, or none of it.
   *
   * @throws CapstanError `invalid_tool_group`; `invalid_tool` with the tool's name and its problem;
   * `duplicate_tool_group` if the name is taken
   */
  register(group: ToolGroup): void {
    rejectInvalid(group);
    const owner = this.#groups.get(group.name);
    if (owner !== undefined) {
      throw new CapstanError({
        code: "duplicate_tool_group",
        message: `A group "${group.name}" is already registered: by "${titleOf(owner)}", and now by "${titleOf(group)}". Rename one, or unregister the first.`,
      });
    }
    this.#groups.set(group.name, group);
    for (const tool of group.tools) {
      const { name } = tool.definition.function;
      const id = `${group.name}.${name}`;
      this.#tools.set(id, { id, name, tool, group });
    }
  }

  unregister(name: string): boolean {
    const group = this.#groups.get(name);
    if (group === undefined) return false;
    this.#groups.delete(name);
    for (const tool of group.tools) this.#tools.delete(`${name}.${tool.definition.function.name}`);
    return true;
  }

  group(name: string): ToolGroup | undefined {
    return this.#groups.get(name);
  }

  groups(): readonly ToolGroup[] {
    return [...this.#groups.values()];
  }

  tool(id: string): RegisteredTool | undefined {
    return this.#tools.get(id);
  }

  tools(): Iterable<RegisteredTool> {
    return this.#tools.values();
  }
}

function rejectInvalid(group: ToolGroup): void {
  const problem = groupProblem(group);
  if (problem !== undefined)
    throw new CapstanError({ code: "invalid_tool_group", message: problem });
  for (const tool of group.tools) {
    const wrong = toolProblem(tool);
    if (wrong === undefined) continue;
    const message = `The tool "${group.name}.${String(nameOf(tool))}" cannot be registered: ${wrong}.`;
    throw new CapstanError({ code: "invalid_tool", message });
  }
}

/** Returns a group's name for users. */
export function titleOf(group: ToolGroup): string {
  return group.title ?? group.name;
}

const digests = new WeakMap<Tool, string>();

/**
 * Returns the digest that a grant stores: if a tool's definition or version changes, its calls need
 * a new approval.
 */
export function definitionDigest(tool: Tool): string {
  let known = digests.get(tool);
  if (known === undefined) {
    const { definition, version } = tool;
    known = digest(version === undefined ? definition : { definition, version });
    digests.set(tool, known);
  }
  return known;
}

/** The enabled groups and tools. Groups are off until enabled, tools on until disabled. */
interface SwitchState {
  readonly groups: { readonly [group: string]: boolean };
  /** By `group.Tool`. */
  readonly tools: { readonly [toolId: string]: boolean };
}

/** The switches of a gate, which enable groups and tools. */
export class Switches {
  readonly #groups = new Map<string, boolean>();
  readonly #tools = new Map<string, boolean>();

  setGroup(name: string, enabled: boolean): void {
    this.#groups.set(name, enabled);
  }

  setTool(id: string, enabled: boolean): void {
    this.#tools.set(id, enabled);
  }

  group(name: string): boolean {
    return this.#groups.get(name) ?? false;
  }

  tool(id: string): boolean {
    return this.#tools.get(id) ?? true;
  }

  state(): SwitchState {
    return { groups: Object.fromEntries(this.#groups), tools: Object.fromEntries(this.#tools) };
  }
}

/** A change of the registered or enabled tools. */
export type ToolsChange =
  | { readonly type: "group.registered" | "group.unregistered"; readonly group: string }
  | { readonly type: "group.switched"; readonly group: string; readonly enabled: boolean }
  /** `toolId` is `group.Tool`. */
  | { readonly type: "tool.switched"; readonly toolId: string; readonly enabled: boolean };

/** The names that every provider accepts. */
export const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

const executionPolicies = ["auto", "ask-once", "ask-always", "deny"];
const resultPolicies = ["never", "on-error", "always"];
const effectNames = ["read", "write", "exclusive"];

/** Tools that were found valid, because sessions register the same tools repeatedly. */
const validTools = new WeakSet<Tool>();

/**
 * Returns the problem of a tool, or undefined if it is valid. The text completes the sentence "The
 * tool cannot be registered: …".
 */
function toolProblem(tool: Tool): string | undefined {
  if (validTools.has(tool)) return undefined;
  const problem =
    definitionProblem(tool) ??
    callbackProblem(tool) ??
    permissionProblem(tool) ??
    limitProblem(tool) ??
    scheduleProblem(tool);
  if (problem === undefined) validTools.add(tool);
  return problem;
}

/**
 * Returns the problem of a group itself: its name, two tools with the same name, or its texts for
 * the model.
 */
export function groupProblem(group: ToolGroup): string | undefined {
  const { name, tools, rulePrompt = "" } = group;
  if (typeof name !== "string" || !namePattern.test(name)) {
    return `The group name "${name}" does not match ${namePattern.source}. Use a short id here, and put the name for users into "title".`;
  }
  if (!Array.isArray(tools)) return `The group "${name}" has no list of tools.`;
  const names = new Set<unknown>();
  for (const tool of tools as readonly Tool[]) {
    const toolName = nameOf(tool);
    if (names.has(toolName))
      return `The group "${name}" has two tools named "${String(toolName)}". Names are unique within a group.`;
    names.add(toolName);
  }
  if (typeof rulePrompt !== "string" && typeof rulePrompt !== "function")
    return `The rulePrompt of the group "${name}" is neither text nor a function.`;
  return skillRuleProblem(group);
}

function nameOf(tool: Tool): unknown {
  return (tool as Partial<Tool> | undefined)?.definition?.function?.name;
}

function definitionProblem(tool: Tool): string | undefined {
  const name = nameOf(tool);
  if (typeof name !== "string" || !namePattern.test(name))
    return `its name does not match ${namePattern.source}, the pattern that every provider accepts`;
  if (tool.execute !== undefined && typeof tool.execute !== "function")
    return "its execute is not a function; leave it out if a client runs the tool";
  const output = outputProblem(tool);
  if (output !== undefined) return output;
  const { declaredReturnType } = tool;
  if (declaredReturnType !== undefined && typeof declaredReturnType.type !== "string")
    return "its declaredReturnType has no type, a text for the model";
  const returns = declaredReturnType?.schema;
  const problem = returns === undefined ? undefined : schemaProblem(returns);
  return problem === undefined ? undefined : `the schema of its return type is invalid: ${problem}`;
}

/**
 * Returns the problem if a tool combines `final`, `hidden`, `output` and `execute` in an invalid
 * way.
 */
export function outputProblem({ final, hidden, output, execute }: Tool): string | undefined {
  if (final === true && execute === undefined)
    return "it is final and has no execute; the output of a client's tool cannot be the answer";
  if (final === true && output === "hidden")
    return 'it is final and has output: "hidden"; a tool whose output is the answer cannot be hidden';
  if (hidden === true && execute === undefined)
    return "it is hidden and has no execute; a client cannot run a tool that it does not see";
  if (hidden === true && final === true)
    return "it is hidden and final; a tool whose output is the answer cannot be hidden";
  return undefined;
}

function schemaProblem(schema: JsonSchema): string | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    return "A JSON Schema is an object.";
  const compiled = compileSchema(schema);
  return compiled.status === "refused" ? compiled.message : undefined;
}

const callbacks = [
  "check",
  "formatForLLM",
  "truncateForLLM",
  "compressArgs",
  "compressResult",
] as const;

function callbackProblem(tool: Tool): string | undefined {
  const wrong = callbacks.find((name) => typeof (tool[name] ?? callbackProblem) !== "function");
  return wrong === undefined ? undefined : `its ${wrong} is not a function`;
}

function limitProblem(tool: Tool): string | undefined {
  for (const name of ["DEFAULT_OUTPUT_LIMIT_CHAR", "DEFAULT_OUTPUT_LIMIT_TOKENS"] as const)
    if (!Number.isInteger(tool[name] ?? 0))
      return `its ${name} is not a whole number; 0 removes the limit`;
  return undefined;
}

function permissionProblem({ permission, effects = "write" }: Tool): string | undefined {
  const { executionPolicy = "ask-once", resultApprovalPolicy = "never" } = permission ?? {};
  const { approvalMs = 1 } = permission ?? {};
  if (typeof executionPolicy !== "function" && !executionPolicies.includes(executionPolicy))
    return `its executionPolicy must be one of ${executionPolicies.join(", ")}`;
  if (!resultPolicies.includes(resultApprovalPolicy))
    return `its resultApprovalPolicy must be one of ${resultPolicies.join(", ")}`;
  if (!(approvalMs > 0)) return "its approvalMs must be above 0";
  const known =
    typeof effects === "string"
      ? effectNames.includes(effects)
      : typeof effects.locks === "function";
  return known ? undefined : `its effects must be one of ${effectNames.join(", ")} or { locks }`;
}

function scheduleProblem(tool: Tool): string | undefined {
  const { timeoutMs = 1, stopMs = 0, maxConcurrent = 1, retry } = tool;
  if (!(stopMs >= 0)) return "its stopMs must be 0 or above";
  if (typeof timeoutMs !== "function" && !(timeoutMs > 0))
    return "its timeoutMs must be above 0; Infinity removes the deadline";
  if (!(Number.isInteger(maxConcurrent) && maxConcurrent > 0))
    return "its maxConcurrent must be a whole number above 0";
  if (retry === undefined) return undefined;
  const { attempts, baseMs = 0, maxMs = 0 } = retry;
  if (!(Number.isInteger(attempts) && attempts >= 2 && attempts <= 10))
    return "its retry.attempts must be a whole number from 2 to 10";
  if (!(baseMs >= 0 && maxMs >= 0)) return "a delay of its retry is below 0";
  if (!mayRunAgain(tool))
    return 'it has a retry policy, but neither declares effects: "read" nor idempotent: true';
  return undefined;
}

/** Returns whether a started call may run again. */
export function mayRunAgain({ idempotent, effects }: Tool): boolean {
  return idempotent ?? effects === "read";
}

/** The tools of a session, and the switches. */
interface ToolSet {
  readonly registry: ToolRegistry;
  readonly switches: Switches;
}

type ToolLookup =
  | { readonly status: "found"; readonly registered: RegisteredTool }
  | { readonly status: "not_found"; readonly error: ToolErrorData };

/**
 * Stage 1. Finds a tool that is registered, and that is enabled with its group. `names` contains
 * the names that the model was shown; without it, `name` is an id or a bare name.
 */
export function findTool(
  tools: ToolSet,
  name: string,
  names?: { readonly [modelName: string]: string },
): ToolLookup {
  const registered = names === undefined ? findByName(tools, name) : offered(tools, name, names);
  if (registered !== undefined && isEnabled(tools, registered))
    return { status: "found", registered };
  return { status: "not_found", error: notFound(tools, name, names, registered) };
}

/** A tool that was not offered cannot be found, even if it is registered. */
function offered(tools: ToolSet, name: string, names: { readonly [modelName: string]: string }) {
  const id = Object.hasOwn(names, name) ? names[name] : undefined;
  return id === undefined ? undefined : tools.registry.tool(id);
}

/** Returns whether a tool can be called: it has what it needs, and the switches allow it. */
export function isEnabled(tools: ToolSet, { id, group, tool }: RegisteredTool): boolean {
  return (
    tool.unavailable === undefined &&
    tools.switches.tool(id) &&
    (tools.switches.group(group.name) || tool.alwaysOffered === true)
  );
}

function findByName(tools: ToolSet, name: string): RegisteredTool | undefined {
  const byId = tools.registry.tool(name);
  if (byId !== undefined) return byId;
  let off: RegisteredTool | undefined;
  for (const registered of tools.registry.tools()) {
    if (registered.name !== name) continue;
    if (isEnabled(tools, registered)) return registered;
    off ??= registered;
  }
  return off;
}

function notFound(
  tools: ToolSet,
  name: unknown,
  names: { readonly [modelName: string]: string } | undefined,
  off: RegisteredTool | undefined,
): ToolErrorData {
  const need = off?.tool.unavailable;
  if (off !== undefined && need !== undefined) {
    const fix = need.fix === undefined ? "" : ` (${need.fix})`;
    return {
      code: "tool_unavailable",
      message: `The tool "${off.name}" cannot run here: it needs ${need.needs}. Do without it, or ask the user to provide that${fix}.`,
    };
  }
  if (off !== undefined) {
    return {
      code: "tool_disabled",
      message: `The tool "${off.name}" is switched off here. Do without it, or ask the user to switch it on.`,
    };
  }
  const known =
    names === undefined
      ? [...tools.registry.tools()]
          .filter((tool) => isEnabled(tools, tool))
          .map((tool) => tool.name)
      : Object.keys(names);
  // Callers may pass a name that is not a string.
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
