import type { JsonObject, ToolArgs } from "../base/json.ts";
import {
  type ArgumentConditions,
  conditionsHold,
  conditionsText,
} from "../arguments/argument-conditions.ts";
import type { GrantOffer, SharedTool } from "../tool/tool.ts";
import { definitionDigest, type RegisteredTool, type ToolRegistry } from "../tool/registry.ts";
import type { ApprovalRequest, ApprovalDecision, GrantCover } from "./approval.ts";
import type { DecideOptions } from "./decide.ts";
import { type RuledCall, canonicalArguments } from "./rule.ts";
import { newId } from "../base/id.ts";

/** The calls of its tool that a grant covers. */
type GrantMatch =
  /** Calls with exactly these arguments, by their digest. */
  | { readonly type: "arguments"; readonly digest: string }
  /** Calls that the tool itself groups with this one. */
  | { readonly type: "key"; readonly key: string }
  /** Calls whose arguments match all conditions. */
  | { readonly type: "pattern"; readonly when: ArgumentConditions }
  | { readonly type: "tool" };

/** A decision that applies to more than one call. Plain JSON. */
export interface Grant {
  readonly id: string;
  readonly toolId: string;
  readonly verdict: "allow" | "refuse";
  readonly scope: "session" | "always";
  /** The principal whose calls it covers. */
  readonly principalId: string;
  /** If the tool's definition changes, the grant does not cover it. */
  readonly definitionDigest: string;
  /** Other tools of the group that it covers, too: see `ToolPermission.sharesGrants`. */
  readonly sharedWith?: readonly SharedTool[];
  readonly match: GrantMatch;
  /** The title in the list of grants. */
  readonly title: string;
  /** The arguments of the call that was approved, for display. */
  readonly args?: JsonObject;
  readonly reason?: string;
  /** The principal that created the grant. */
  readonly grantedBy: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The expiry, in ms since the epoch. @default never */
  readonly expiresAt?: number;
}

/** The properties of a call that grants compare. */
export interface GrantQuery {
  readonly toolId: string;
  readonly definitionDigest: string;
  /** Computes the digest, because few grants compare it. */
  readonly argsDigest: () => string;
  readonly key?: string | undefined;
  /** In the form that rules compare: see `ToolPermission.canonicalArguments`. */
  readonly args: ToolArgs;
  readonly principalId: string;
}

/**
 * The approvals and rejections of one session that apply to more than one call. Executors may share
 * a book: each grant covers only its own principal's calls.
 */
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
    for (const toolId of toolsOf(grant)) {
      const ofTool = this.#byTool.get(toolId) ?? new Set();
      this.#byTool.set(toolId, ofTool.add(grant));
    }
    for (const listener of this.#listeners) listener(grant);
  }

  revoke(id: string): boolean {
    const grant = this.#grants.get(id);
    if (grant === undefined) return false;
    for (const toolId of toolsOf(grant)) {
      const ofTool = this.#byTool.get(toolId);
      ofTool?.delete(grant);
      if (ofTool?.size === 0) this.#byTool.delete(toolId);
    }
    return this.#grants.delete(id);
  }

  hasFor(toolId: string): boolean {
    return this.#byTool.has(toolId);
  }

  /** Returns all grants, including expired ones, in the order of their creation. */
  list(): readonly Grant[] {
    return [...this.#grants.values()];
  }

  /**
   * Returns the grant that covers a call. Prefers rejections to approvals, then grants for exact
   * arguments, then the oldest grant.
   */
  find(query: GrantQuery, now: number): Grant | undefined {
    const covering = [...(this.#byTool.get(query.toolId) ?? [])].filter((grant) =>
      grantCovers(grant, query, now),
    );
    return (
      covering.find(({ verdict }) => verdict === "refuse") ??
      covering.find(({ match }) => match.type === "arguments") ??
      covering[0]
    );
  }

  /** Calls `listener` with every added grant. Returns a function that unsubscribes. */
  onAdded(listener: (grant: Grant) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function toolsOf({ toolId, sharedWith = [] }: Grant): readonly string[] {
  return [toolId, ...sharedWith.map((shared) => shared.toolId)];
}

/** Whether a grant covers a call and has not expired. */
export function grantCovers(grant: Grant, query: GrantQuery, now: number): boolean {
  // A grant covers only its own principal's calls.
  if (grant.principalId !== query.principalId) return false;
  if (grant.expiresAt !== undefined && grant.expiresAt <= now) return false;
  const covers = ({ toolId, definitionDigest }: SharedTool) =>
    toolId === query.toolId && definitionDigest === query.definitionDigest;
  if (!covers(grant) && grant.sharedWith?.some(covers) !== true) return false;
  const { match } = grant;
  switch (match.type) {
    case "arguments":
      return match.digest === query.argsDigest();
    case "key":
      return match.key === query.key;
    case "pattern":
      return conditionsHold(match.when, query.args, "every");
    case "tool":
      return true;
  }
}

/** Returns the grant query of an approval request, or undefined if no grant can answer it. */
export function approvalQuery(
  approval: ApprovalRequest,
  registered: RegisteredTool | undefined,
): GrantQuery | undefined {
  if (approval.grant === undefined || registered === undefined) return undefined;
  const { toolId, definitionDigest, principalId } = approval;
  return {
    toolId,
    definitionDigest,
    principalId,
    key: approval.grant.key,
    argsDigest: () => approval.argsDigest,
    args: canonicalArguments(registered.tool, approval.args),
  };
}

/** Returns the grant query of a call. Computes the digest only when a grant needs it. */
export function callQuery(
  { registered, principalId, args, argsDigest }: DecideOptions,
  call: RuledCall,
): GrantQuery {
  return {
    toolId: registered.id,
    principalId,
    definitionDigest: definitionDigest(registered.tool),
    argsDigest,
    key: grantScope(registered, args)?.key,
    args: call.args,
  };
}

/** Returns the wider grant that the tool offers for a call, if it offers one. */
export function grantScope({ tool }: RegisteredTool, args: ToolArgs): GrantOffer | undefined {
  try {
    return tool.permission?.grantScope?.(args);
  } catch {
    return undefined;
  }
}

interface CreateGrantOptions {
  readonly approval: ApprovalRequest;
  readonly decision: ApprovalDecision;
  readonly now: number;
}

/**
 * Returns the grant that an answer creates, or undefined if the answer applies only to this call:
 * its scope is `once`, a rule asks every time, or the user changed the arguments.
 */
export function createGrant(options: CreateGrantOptions): Grant | undefined {
  const { approval, decision, now } = options;
  const make = (
    rest: Pick<Grant, "verdict" | "scope" | "match" | "title" | "sharedWith">,
  ): Grant => ({
    id: newId("grant_"),
    toolId: approval.toolId,
    definitionDigest: approval.definitionDigest,
    args: approval.args,
    principalId: approval.principalId,
    grantedBy: approval.principalId,
    createdAt: now,
    ...rest,
  });
  const exactly = () => covered(approval, { type: "arguments" });
  if (decision.decision === "refuse") {
    if (!approval.remember || decision.by === "system") return undefined;
    const { reason } = decision;
    const refusal = make({ verdict: "refuse", scope: "session", ...exactly() });
    return reason === undefined ? refusal : { ...refusal, reason };
  }
  if (decision.arguments !== undefined || decision.by === "grant") return undefined;
  const { scope = "once", covers = { type: "offer" }, expiresAt } = decision;
  if (scope === "once") {
    if (!approval.remember) return undefined;
    return make({ verdict: "allow", scope: "session", ...exactly() });
  }
  if (approval.grant === undefined) return undefined;
  const grant = make({ verdict: "allow", scope, ...covered(approval, covers) });
  return expiresAt === undefined ? grant : { ...grant, expiresAt };
}

function covered(
  { toolName, argsDigest, grant }: ApprovalRequest,
  cover: GrantCover,
): Pick<Grant, "match" | "title" | "sharedWith"> {
  switch (cover.type) {
    case "arguments":
      return {
        match: { type: "arguments", digest: argsDigest },
        title: `${toolName} with exactly these arguments`,
      };
    case "pattern": {
      const { when } = cover;
      return {
        match: { type: "pattern", when },
        title: `${toolName} where ${conditionsText(when)}`,
      };
    }
    case "tool":
      return everyCall(toolName);
    case "offer": {
      if (grant === undefined) return everyCall(toolName);
      const { when, key, title, sharedWith } = grant;
      const shared = { title, ...(sharedWith !== undefined && { sharedWith }) };
      if (when !== undefined) return { match: { type: "pattern", when }, ...shared };
      if (key !== undefined) return { match: { type: "key", key }, ...shared };
      return everyCall(toolName);
    }
  }
}

function everyCall(toolName: string): { readonly match: GrantMatch; readonly title: string } {
  return { match: { type: "tool" }, title: `every call of ${toolName}` };
}

/** Returns the open requests that an answer to another request also answers. */
export function coveredBy(
  grant: Grant | undefined,
  questions: Iterable<ApprovalRequest>,
  registry: ToolRegistry,
): readonly string[] {
  if (grant?.verdict !== "allow") return [];
  return [...questions]
    .filter((approval) => {
      const query = approvalQuery(approval, registry.tool(approval.toolId));
      return query !== undefined && grantCovers(grant, query, grant.createdAt);
    })
    .map(({ id }) => id);
}
