import { digest } from "../arguments/canonical-json.ts";
import { CapstanError } from "../errors/capstan-error.ts";
import type { Tool, ToolGroup } from "./tool.ts";

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
  readonly #listeners = new Set<() => void>();

  /** @throws CapstanError `duplicate_tool_group` where the name is taken. */
  register(group: ToolGroup): void {
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
    this.#announce();
  }

  unregister(name: string): boolean {
    const group = this.#groups.get(name);
    if (group === undefined) return false;
    this.#groups.delete(name);
    for (const tool of group.tools) this.#tools.delete(`${name}.${tool.definition.function.name}`);
    this.#announce();
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

  /** Told after every change; returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #announce(): void {
    this.revision++;
    for (const listener of this.#listeners) listener();
  }
}

export function titleOf(group: ToolGroup): string {
  return group.title ?? group.name;
}

const digests = new WeakMap<Tool, string>();

/** What a grant is bound to: a tool that is defined otherwise asks again. */
export function definitionDigest(tool: Tool): string {
  let known = digests.get(tool);
  if (known === undefined) {
    known = digest(tool.definition);
    digests.set(tool, known);
  }
  return known;
}
