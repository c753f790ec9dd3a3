/** The state of a connection, for users. */
export interface ConnectionStatus {
  readonly name: string;
  /** The program or the address, without secrets. */
  readonly server: string;
  /**
   * `idle`: the next call connects. `needs_acceptance`: the server defines tools that no user has
   * accepted.
   */
  readonly state:
    | "idle"
    | "connecting"
    | "ready"
    | "backing_off"
    | "needs_sign_in"
    | "needs_acceptance"
    | "not_configured";
  /** The last failure, or undefined. */
  readonly error?: string;
  readonly tools: number;
  /** The safe names of tools that a user has not accepted yet. */
  readonly waiting: readonly string[];
  /** Problems in the server's last list. */
  readonly notes: readonly string[];
  /** Variables that the settings name but the environment does not have. */
  readonly missing: readonly string[];
  readonly sessions: number;
}
