/** The limits of the sessions of clients with a protocol version before 2026-07-28. */
export interface SessionLimits {
  /** Time without a request or an open stream after which a session ends, in ms. */
  readonly idleMs: number;
  /** Sessions of one principal. With more, its session that was unused for longest ends. */
  readonly sessionsOfOne: number;
}
