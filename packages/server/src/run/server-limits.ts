/** Numbers of the server; DESIGN.md's defaults. */
export interface ServerLimits {
  /** Rounds of tool calls a turn. */
  readonly rounds: number;
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
  /** Ms of silence after which a stream says that it is alive. */
  readonly heartbeatMs: number;
  /** Sessions whose variables are kept at hand between turns. */
  readonly warmSessions: number;
}

export const defaultServerLimits: ServerLimits = {
  rounds: 10,
  bodyBytes: 64 * 1024 * 1024,
  heartbeatMs: 15_000,
  warmSessions: 16,
};
