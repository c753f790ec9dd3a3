import type { ToolArgs } from "../base/json.ts";
import { conditionsHold } from "../arguments/argument-conditions.ts";
import type { Grant } from "./grant.ts";

/** A call, as grants see it; what costs to make may be a getter. */
export interface GrantQuery {
  readonly toolId: string;
  readonly definitionDigest: string;
  readonly argsDigest: string;
  readonly key?: string | undefined;
  /** As rules see them: see `ToolPermission.canonicalArguments`. */
  readonly args: ToolArgs;
  /** Whose call it is. */
  readonly principalId: string;
}

/**
 * What a person allowed or refused for more than one call, in one session. Executors may share a
 * book: each grant holds for the calls of its own principal alone.
 */
export class GrantBook {
  readonly #grants = new Map<string, Grant>();
  readonly #byTool = new Map<string, ToolGrants>();
  readonly #listeners = new Set<(grant: Grant) => void>();

  constructor(grants: Iterable<Grant> = []) {
    for (const grant of grants) this.add(grant);
  }

  add(grant: Grant): void {
    this.revoke(grant.id);
    this.#grants.set(grant.id, grant);
    const ofTool = this.#byTool.get(grant.toolId) ?? new ToolGrants();
    this.#byTool.set(grant.toolId, ofTool);
    ofTool.of(grant).add(grant);
    for (const listener of this.#listeners) listener(grant);
  }

  revoke(id: string): boolean {
    const grant = this.#grants.get(id);
    if (grant === undefined) return false;
    const ofTool = this.#byTool.get(grant.toolId);
    ofTool?.delete(grant);
    if (ofTool?.isEmpty === true) this.#byTool.delete(grant.toolId);
    return this.#grants.delete(id);
  }

  /** Whether there is any grant about this tool. */
  hasFor(toolId: string): boolean {
    return this.#byTool.has(toolId);
  }

  /** All, those that have expired too, in the order in which they were given. */
  list(): readonly Grant[] {
    return [...this.#grants.values()];
  }

  /** The grant that covers a call; a refusal before an allowance, then exact arguments, then the first one given. */
  find(query: GrantQuery, now: number): Grant | undefined {
    let found: Grant | undefined;
    for (const grant of this.#byTool.get(query.toolId)?.candidates(query) ?? []) {
      if (!grantCovers(grant, query, now)) continue;
      if (grant.verdict === "refuse") return grant;
      found ??= grant;
    }
    return found;
  }

  /** Calls back with every grant that is added; returns what ends it. */
  onAdded(listener: (grant: Grant) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** The grants of one tool. A program may allow every call: those for exact arguments are not searched. */
class ToolGrants {
  readonly #exact = new Map<string, Set<Grant>>();
  readonly #wider = new Set<Grant>();

  get isEmpty(): boolean {
    return this.#exact.size + this.#wider.size === 0;
  }

  /** Where a grant has its place. */
  of({ match }: Grant): Set<Grant> {
    if (match.type !== "arguments") return this.#wider;
    const alike = this.#exact.get(match.digest) ?? new Set();
    this.#exact.set(match.digest, alike);
    return alike;
  }

  delete(grant: Grant): void {
    const { match } = grant;
    const place = this.of(grant);
    place.delete(grant);
    if (match.type === "arguments" && place.size === 0) this.#exact.delete(match.digest);
  }

  /** Those that may cover a call. */
  *candidates(query: GrantQuery): Iterable<Grant> {
    if (this.#exact.size > 0) yield* this.#exact.get(query.argsDigest) ?? [];
    yield* this.#wider;
  }
}

/** Whether a grant is about this very call, and still holds. */
export function grantCovers(grant: Grant, query: GrantQuery, now: number): boolean {
  // What one allowed holds for no one else.
  if (grant.toolId !== query.toolId || grant.principalId !== query.principalId) return false;
  if (grant.expiresAt !== undefined && grant.expiresAt <= now) return false;
  if (grant.definitionDigest !== query.definitionDigest) return false;
  const { match } = grant;
  switch (match.type) {
    case "arguments":
      return match.digest === query.argsDigest;
    case "key":
      return match.key === query.key;
    case "pattern":
      return conditionsHold(match.when, query.args, "every");
    case "tool":
      return true;
  }
}
