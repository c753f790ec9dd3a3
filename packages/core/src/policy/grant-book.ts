import type { ToolArgs } from "../tool/tool.ts";
import { conditionsHold } from "./argument-conditions.ts";
import type { Grant } from "./grant.ts";

/** A call, as grants see it; what costs to make may be a getter. */
export interface GrantQuery {
  readonly toolId: string;
  readonly definitionDigest: string;
  readonly argsDigest: string;
  readonly key?: string | undefined;
  /** As rules see them: see `ToolPermission.canonicalArguments`. */
  readonly args: ToolArgs;
  /** Whose call it is, where that is not the session's own principal. */
  readonly principalId?: string | undefined;
}

/** What a person allowed or refused for more than one call, in one session. */
export class GrantBook {
  readonly #grants = new Map<string, Grant>();
  readonly #byTool = new Map<string, Set<Grant>>();
  readonly #listeners = new Set<(grant: Grant) => void>();

  constructor(grants: Iterable<Grant> = []) {
    for (const grant of grants) this.add(grant);
  }

  add(grant: Grant): void {
    this.revoke(grant.id);
    this.#grants.set(grant.id, grant);
    const ofTool = this.#byTool.get(grant.toolId);
    if (ofTool === undefined) this.#byTool.set(grant.toolId, new Set([grant]));
    else ofTool.add(grant);
    for (const listener of this.#listeners) listener(grant);
  }

  revoke(id: string): boolean {
    const grant = this.#grants.get(id);
    if (grant === undefined) return false;
    this.#byTool.get(grant.toolId)?.delete(grant);
    return this.#grants.delete(id);
  }

  /** Whether there is any grant about this tool. */
  hasFor(toolId: string): boolean {
    return (this.#byTool.get(toolId)?.size ?? 0) > 0;
  }

  /** All, those that have expired too, in the order in which they were given. */
  list(): readonly Grant[] {
    return [...this.#grants.values()];
  }

  /** The grant that covers a call; a refusal before an allowance, else the first one given. */
  find(query: GrantQuery, now: number): Grant | undefined {
    let found: Grant | undefined;
    for (const grant of this.#byTool.get(query.toolId) ?? []) {
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
