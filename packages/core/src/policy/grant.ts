import type { JsonObject } from "../base/json.ts";
import type { ArgumentConditions } from "../arguments/argument-conditions.ts";

/** Which calls of its tool a grant covers. */
export type GrantMatch =
  /** Exactly these arguments, by their digest. */
  | { readonly type: "arguments"; readonly digest: string }
  /** What the tool itself says belongs together. */
  | { readonly type: "key"; readonly key: string }
  /** Arguments for which all conditions hold. */
  | { readonly type: "pattern"; readonly when: ArgumentConditions }
  | { readonly type: "tool" };

/** A decision that holds for more than one call. Plain JSON. */
export interface Grant {
  readonly id: string;
  readonly toolId: string;
  readonly verdict: "allow" | "refuse";
  readonly scope: "session" | "always";
  /** Whose calls it holds for. */
  readonly principalId: string;
  /** A tool that changed asks again. */
  readonly definitionDigest: string;
  readonly match: GrantMatch;
  /** What people read in the list. */
  readonly title: string;
  /** The arguments it was given for, to show. */
  readonly args?: JsonObject;
  readonly reason?: string;
  /** The principal whose word it is. */
  readonly grantedBy: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** From then on it covers nothing. @default never */
  readonly expiresAt?: number;
}
