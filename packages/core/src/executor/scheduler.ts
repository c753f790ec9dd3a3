import type { RegisteredTool } from "../tool/registry.ts";
import type { ToolArgs } from "../tool/tool.ts";

/** What a call excludes while it runs: everything, or these keys. `slot: false` runs in a slot that is held already. */
export type Claim =
  | { readonly type: "all" }
  | { readonly type: "keys"; readonly keys: readonly string[]; readonly slot?: false };

/** What a call excludes, from what its tool declares. Locks that throw claim the whole group. */
export function claimOf({ tool, group }: RegisteredTool, args: ToolArgs): Claim {
  const effects = tool.effects ?? "write";
  if (effects === "read") return { type: "keys", keys: [] };
  if (effects === "exclusive") return { type: "all" };
  if (effects === "write") return { type: "keys", keys: [`group:${group.name}`] };
  try {
    return { type: "keys", keys: effects.locks(args).map((key) => `lock:${key}`) };
  } catch {
    return { type: "keys", keys: [`group:${group.name}`] };
  }
}

interface Waiting {
  readonly claim: Claim;
  readonly start: () => void;
}

/**
 * Lets calls run beside one another where their claims allow it, at most `atOnce` at a time.
 * A call waits for those before it that it conflicts with, so that nothing is overtaken for ever.
 */
export class Scheduler {
  readonly #atOnce: number;
  #running = 0;
  #exclusive = false;
  readonly #held = new Set<string>();
  #queue: Waiting[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Calls `start` when the claim may run: at once, or later. Returns what takes it out of the
   * queue. Whoever started must call `release` with the same claim.
   */
  enter(claim: Claim, start: () => void): () => void {
    if ((this.#queue.length === 0 || !takesSlot(claim)) && this.#fits(claim)) {
      this.#take(claim);
      start();
      return () => {};
    }
    const waiting: Waiting = { claim, start };
    this.#queue.push(waiting);
    return () => {
      const index = this.#queue.indexOf(waiting);
      if (index === -1) return;
      this.#queue.splice(index, 1);
      this.#admit();
    };
  }

  release(claim: Claim): void {
    if (takesSlot(claim)) this.#running--;
    if (claim.type === "all") this.#exclusive = false;
    else for (const key of claim.keys) this.#held.delete(key);
    this.#admit();
  }

  #admit(): void {
    if (this.#queue.length === 0) return;
    const started: Waiting[] = [];
    const wanted = new Set<string>();
    const left: Waiting[] = [];
    let barrier = false;
    for (const waiting of this.#queue) {
      const { claim } = waiting;
      const overtakes = claim.type === "keys" && claim.keys.some((key) => wanted.has(key));
      if (!barrier && !overtakes && this.#fits(claim)) {
        this.#take(claim);
        started.push(waiting);
        continue;
      }
      left.push(waiting);
      if (claim.type === "all") barrier = true;
      else for (const key of claim.keys) wanted.add(key);
    }
    this.#queue = left;
    for (const { start } of started) start();
  }

  #fits(claim: Claim): boolean {
    if (takesSlot(claim) && (this.#running >= this.#atOnce || this.#exclusive)) return false;
    if (claim.type === "all") return this.#running === 0;
    return !claim.keys.some((key) => this.#held.has(key));
  }

  #take(claim: Claim): void {
    if (takesSlot(claim)) this.#running++;
    if (claim.type === "all") this.#exclusive = true;
    else for (const key of claim.keys) this.#held.add(key);
  }
}

function takesSlot(claim: Claim): boolean {
  return claim.type === "all" || claim.slot !== false;
}
