import { digest } from "../json/canonical-json.ts";
import { CapstanError } from "../base/errors.ts";
import type { Tool, ToolGroup } from "./tool.ts";
import { groupProblem, nameOf, toolProblem } from "./tool-problem.ts";

/** A tool with the place it was registered in. */
export interface RegisteredTool {
  /** `group.Tool`. */
  readonly id: string;
  readonly name: string;
  readonly tool: Tool;
  readonly group: ToolGroup;
}

/** The groups an installation has. Order of registration is order everywhere. */
export class ToolRegistry {
  /** Grows with every change. */
  revision = 0;
  readonly #groups = new Map<string, ToolGroup>();
  readonly #tools = new Map<string, RegisteredTool>();

  /**
   * All of the group is taken, or nothing.
   *
   * @throws CapstanError `invalid_tool_group`, `invalid_tool` with the tool's name and what is
   *   wrong with it, `duplicate_tool_group` where the name is taken.
   */
  register(group: ToolGroup): void {
    refuseBroken(group);
    const owner = this.#groups.get(group.name);
    if (owner !== undefined) {
      throw new CapstanError({
        code: "duplicate_tool_group",
        message: `A group "${group.name}" is registered already: "${titleOf(owner)}" has it and "${titleOf(group)}" wants it. Rename one, or unregister the first.`,
      });
    }
    this.#groups.set(group.name, group);
    for (const tool of group.tools) {
      const { name } = tool.definition.function;
      const id = `${group.name}.${name}`;
      this.#tools.set(id, { id, name, tool, group });
    }
    this.revision++;
  }

  unregister(name: string): boolean {
    const group = this.#groups.get(name);
    if (group === undefined) return false;
    this.#groups.delete(name);
    for (const tool of group.tools) this.#tools.delete(`${name}.${tool.definition.function.name}`);
    this.revision++;
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

function refuseBroken(group: ToolGroup): void {
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

export function titleOf(group: ToolGroup): string {
  return group.title ?? group.name;
}

const digests = new WeakMap<Tool, string>();

/** What a grant is bound to: a tool that is defined otherwise, or is another version, asks again. */
export function definitionDigest(tool: Tool): string {
  let known = digests.get(tool);
  if (known === undefined) {
    const { definition, version } = tool;
    known = digest(version === undefined ? definition : { definition, version });
    digests.set(tool, known);
  }
  return known;
}

/** Which groups and tools are on. Groups are off until enabled, tools on until disabled. */
export interface SwitchState {
  readonly groups: { readonly [group: string]: boolean };
  /** By `group.Tool`. */
  readonly tools: { readonly [toolId: string]: boolean };
}

export class Switches {
  /** Grows with every change. */
  revision = 0;
  readonly #groups = new Map<string, boolean>();
  readonly #tools = new Map<string, boolean>();

  setGroup(name: string, enabled: boolean): void {
    this.revision++;
    this.#groups.set(name, enabled);
  }

  setTool(id: string, enabled: boolean): void {
    this.revision++;
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
