import type { JsonObject } from "@capstan/core";

/** A connection to a service that a user added. */
export interface ConnectionRecord {
  readonly name: string;
  /** The principal who added it. */
  readonly createdBy: string;
  readonly settings: JsonObject;
  /** In ms since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Identifies an encrypted credential. */
export interface CredentialKey {
  readonly connection: string;
  /** The principal, or an empty text if all users share it. */
  readonly owner: string;
  readonly field: string;
}

/** An encrypted credential for a connection. The store cannot decrypt it. */
export interface CredentialRecord extends CredentialKey {
  /** Greater after each change, also if the credential was deleted meanwhile. */
  readonly revision: number;
  readonly sealed: string;
  readonly state: "ready" | "needs_sign_in";
  /** In ms since the epoch, or null. Expired rows are deleted. */
  readonly expiresAt: number | null;
  readonly updatedAt: number;
}
