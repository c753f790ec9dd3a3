/** The limits of the sessions of clients with a protocol version before 2026-07-28. */
export interface SessionLimits {
  /** Time without a request or an open stream after which a session ends, in ms. */
  readonly idleMs: number;
  /**
   * Maximum number of sessions of a principal. One session more ends the least recently used one.
   */
  readonly sessionsOfOne: number;
}
