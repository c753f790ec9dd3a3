import type { RegisteredTool } from "../tool/registry.ts";
import type { ToolArgs } from "../tool/tool.ts";

/** Who makes a claim: a call, in the call that made it. */
export interface Claimant {
  readonly parent: Claimant | undefined;
}

/** What a call excludes while it runs: everything, or these keys. A sub-call runs in its parent's slot. */
export type Claim =
  | { readonly type: "all" }
  | { readonly type: "keys"; readonly keys: readonly string[]; readonly by?: Claimant };

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
 * A sub-call waits only for who holds what it needs: who is before it in the queue may be waiting
 * for its parent.
 */
export class Scheduler {
  readonly #atOnce: number;
  #running = 0;
  #exclusive = false;
  readonly #held = new Map<string, Claimant | undefined>();
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

  /**
   * Whether a sub-call would wait for a call that waits, through its own sub-calls, for the one
   * that made this sub-call. Asked before `enter`: later nothing can close such a circle.
   */
  wouldDeadlock(claim: Claim): boolean {
    return claim.type === "keys" && claim.by !== undefined && this.#waitsFor(claim, claim.by);
  }

  #waitsFor(
    { keys }: Extract<Claim, { readonly type: "keys" }>,
    goal: Claimant,
    seen = new Set<Claimant>(),
  ): boolean {
    for (const key of keys) {
      const holder = this.#held.get(key);
      if (holder === undefined || seen.has(holder)) continue;
      if (isWithin(goal, holder)) return true;
      seen.add(holder);
      for (const { claim } of this.#queue) {
        if (claim.type !== "keys" || claim.by === undefined || !isWithin(claim.by, holder))
          continue;
        if (this.#waitsFor(claim, goal, seen)) return true;
      }
    }
    return false;
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
    const subCalls = this.#queue.filter(({ claim }) => !takesSlot(claim));
    const calls = this.#queue.filter(({ claim }) => takesSlot(claim));
    for (const waiting of subCalls) {
      if (this.#fits(waiting.claim)) {
        this.#take(waiting.claim);
        started.push(waiting);
      } else left.push(waiting);
    }
    for (const waiting of calls) {
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
    else for (const key of claim.keys) this.#held.set(key, claim.by);
  }
}

function takesSlot(claim: Claim): boolean {
  return claim.type === "all" || claim.by?.parent === undefined;
}

/** Whether a call is another one, or was made in it. */
function isWithin(inner: Claimant, outer: Claimant): boolean {
  for (let one: Claimant | undefined = inner; one !== undefined; one = one.parent)
    if (one === outer) return true;
  return false;
}
