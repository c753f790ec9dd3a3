import type { JsonObject } from "../model/json.ts";

/** A decision that holds for more than one call. Plain JSON. */
export interface Grant {
  readonly id: string;
  readonly toolId: string;
  readonly verdict: "allow" | "refuse";
  readonly scope: "session" | "always";
  /** Whose calls it holds for, where that is not the session's own principal. */
  readonly principalId?: string;
  /** A tool that changed asks again. */
  readonly definitionDigest: string;
  readonly match:
    | { readonly type: "arguments"; readonly digest: string }
    | { readonly type: "key"; readonly key: string }
    | { readonly type: "tool" };
  /** What people read in the list. */
  readonly title: string;
  /** The arguments it was given for, to show. */
  readonly args?: JsonObject;
  readonly reason?: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
}
