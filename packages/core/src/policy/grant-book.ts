import type { Grant } from "./grant.ts";

export interface GrantQuery {
  readonly toolId: string;
  readonly definitionDigest: string;
  readonly argsDigest: string;
  readonly key?: string;
  /** Whose call it is, where that is not the session's own principal. */
  readonly principalId?: string | undefined;
}

/**
 * What a person allowed or refused for more than one call, in one session. A refusal found wins
 * over an allowance; the narrowest match is found first.
 */
export class GrantBook {
  readonly #grants = new Map<string, Grant>();

  constructor(grants: Iterable<Grant> = []) {
    for (const grant of grants) this.add(grant);
  }

  add(grant: Grant): void {
    this.#grants.set(grant.id, grant);
  }

  revoke(id: string): boolean {
    return this.#grants.delete(id);
  }

  get isEmpty(): boolean {
    return this.#grants.size === 0;
  }

  list(): readonly Grant[] {
    return [...this.#grants.values()];
  }

  find(query: GrantQuery, now: number): Grant | undefined {
    let found: Grant | undefined;
    for (const grant of this.#grants.values()) {
      if (grant.toolId !== query.toolId || grant.definitionDigest !== query.definitionDigest)
        continue;
      // What one allowed holds for no one else.
      if (grant.principalId !== query.principalId) continue;
      if (grant.expiresAt !== undefined && grant.expiresAt <= now) continue;
      if (!matches(grant.match, query)) continue;
      if (grant.verdict === "refuse") return grant;
      found ??= grant;
    }
    return found;
  }
}

function matches(match: Grant["match"], query: GrantQuery): boolean {
  if (match.type === "arguments") return match.digest === query.argsDigest;
  if (match.type === "key") return match.key === query.key;
  return true;
}
