/** Identifies a stored secret. */
export interface SecretKey {
  /** The name of the connection. */
  readonly connection: string;
  /** The principal, or an empty text for a secret that all users share. */
  readonly owner: string;
  /** Such as `credential`. */
  readonly field: string;
}

/** A stored secret, encrypted. */
export interface StoredSecret extends SecretKey {
  /** Greater after each change. */
  readonly revision: number;
  readonly sealed: string;
  readonly state: SecretState;
  /** In ms since the epoch, or null. Expired secrets are deleted. */
  readonly expiresAt: number | null;
  /** In ms since the epoch. */
  readonly updatedAt: number;
}

/** `needs_sign_in`: the server has rejected it. */
export type SecretState = "ready" | "needs_sign_in";

/** Stores encrypted secrets. All nodes of an installation share it. */
export interface SecretStore {
  get(key: SecretKey): Promise<StoredSecret | undefined>;
  /** Returns the secrets of a connection, or all. */
  list(connection?: string): Promise<readonly StoredSecret[]>;
  /**
   * Stores a secret and ends the claim on it. With `ifRevision`, only if it has this revision.
   *
   * @returns the new revision, or `undefined` if the secret has changed or was deleted
   */
  save(
    key: SecretKey,
    change: {
      readonly sealed: string;
      readonly state?: SecretState;
      readonly expiresAt?: number | null;
      readonly ifRevision?: number;
    },
  ): Promise<number | undefined>;
  /**
   * Claims the right to refresh a secret with this revision, until a time limit. With 0 ms, ends
   * the holder's claim.
   *
   * @returns `taken`: another holder has the claim; `changed`: the secret has another revision
   */
  claim(
    key: SecretKey,
    claim: { readonly revision: number; readonly holder: string; readonly ms: number },
  ): Promise<"claimed" | "taken" | "changed">;
  /** Deletes a secret. Of concurrent callers, one gets true. */
  remove(key: SecretKey): Promise<boolean>;
}

/** Encrypts texts with the key of the installation, bound to a label. */
export interface SecretSealer {
  seal(label: string, text: string): string;
  open(
    label: string,
    sealed: string,
  ): { readonly status: "opened"; readonly text: string } | { readonly status: string };
}
