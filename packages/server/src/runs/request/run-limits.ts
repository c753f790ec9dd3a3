/** Limits of the server, with their defaults. */
export interface ServerLimits {
  /** Maximum number of rounds of tool calls in a turn. */
  readonly rounds: number;
  /** Maximum number of calls that run in one round. */
  readonly callsPerRound: number;
  /** Number of failures of a call with the same arguments after which a turn gets no more tools. */
  readonly repeatedFailures: number;
  /**
   * Maximum number of calls that the server runs in a turn. A request can only lower the limit.
   * @default no limit
   */
  readonly turnCalls?: number;
  /** Maximum number of tokens of a turn, as the provider counts them. @default no limit */
  readonly turnTokens?: number;
  /**
   * Running time of a turn after which it must answer without more tools, in ms. @default no limit
   */
  readonly turnMs?: number;
  /**
   * Running time in ms after which a run is `expired`, whatever its state; time spent waiting is
   * not counted.
   * @default no limit
   */
  readonly runMs?: number;
  /** Time in ms after which a run without an answer is `expired`. */
  readonly suspendedMs: number;
  /** The largest cost of a turn, in the currency of the models' prices. @default no limit */
  readonly turnCost?: number;
  /**
   * Maximum number of tokens of a turn's results in one model request. Older results are truncated.
   * @default 100000
   */
  readonly shownTokens?: number;
  /**
   * Maximum number of tokens, as estimated, of the definitions of the offered groups' tools. If they
   * have more, the model is shown an index and `SearchTools`.
   */
  readonly toolTokens: number;
  /** Largest request body, in bytes. */
  readonly bodyBytes: number;
  /**
   * Maximum size of all requests and responses in progress, and separately of the histories of all
   * active runs, in bytes.
   */
  readonly bytesAtOnce: number;
  /**
   * Maximum size of one principal's requests and responses in progress, and separately of the
   * histories of its active runs, in bytes. A longer history cannot be continued.
   */
  readonly bytesOfOne: number;
  /** Maximum number of open streams of one principal: of events, and of lists of runs. */
  readonly streamsOfOne: number;
  /** Largest file, in bytes. */
  readonly fileBytes: number;
  /** Maximum number of files of one principal. */
  readonly filesOfOne: number;
  /** Maximum size of one principal's files together, in bytes. */
  readonly fileBytesOfOne: number;
  /** Maximum number of files of all principals together. */
  readonly filesOfAll: number;
  /** Maximum size of the files of all principals together, in bytes. */
  readonly fileBytesOfAll: number;
  /** Longest output of a client tool for one call, in characters. */
  readonly toolOutputChars: number;
  /** Silence in ms after which a stream sends a heartbeat. */
  readonly heartbeatMs: number;
  /**
   * Maximum number of stopped runs in the cache: their variables, and the chains of suspended runs.
   */
  readonly warmSessions: number;
  /** Approximate memory of the cached runs together, in bytes. */
  readonly warmBytes: number;
  /**
   * Maximum number of crashes of a run's process in a row without progress. After more crashes the
   * run is closed, because it could be their cause.
   */
  readonly maxCrashes: number;
  /**
   * Maximum number of runs that execute at the same time in one process; others are `queued`. With
   * 0 this node only serves requests, and others execute the runs.
   */
  readonly runsAtOnce: number;
  /**
   * Maximum number of executing runs of one principal. Its other runs wait and do not delay other
   * principals.
   */
  readonly runsOfOne: number;
}

/** The limits of a server that configures none. */
export const defaultServerLimits: ServerLimits = {
  rounds: 10,
  callsPerRound: 64,
  repeatedFailures: 3,
  suspendedMs: 7 * 24 * 60 * 60 * 1_000,
  toolTokens: 20_000,
  bodyBytes: 64 * 1024 * 1024,
  bytesAtOnce: 512 * 1024 * 1024,
  bytesOfOne: 128 * 1024 * 1024,
  streamsOfOne: 500,
  fileBytes: 512 * 1024 * 1024,
  filesOfOne: 10_000,
  fileBytesOfOne: 10 * 1024 * 1024 * 1024,
  filesOfAll: Infinity,
  fileBytesOfAll: Infinity,
  toolOutputChars: 10 * 1024 * 1024,
  heartbeatMs: 15_000,
  warmSessions: 32,
  warmBytes: 64 * 1024 * 1024,
  maxCrashes: 10,
  runsAtOnce: 1_000,
  runsOfOne: 500,
};
