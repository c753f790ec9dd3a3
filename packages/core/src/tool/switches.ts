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
