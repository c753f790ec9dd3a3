/** Limits of the server, with their defaults. */
export interface ServerLimits {
  /** Rounds of tool calls a turn. */
  readonly rounds: number;
  /** Calls of one round that are run. */
  readonly callsPerRound: number;
  /** How often a call may fail with the same arguments before a turn gets no more tools. */
  readonly repeatedFailures: number;
  /** Server-run calls of a turn; what a request asks for can only be fewer. @default no limit */
  readonly turnCalls?: number;
  /** Tokens a turn, as the provider counts them. @default no limit */
  readonly turnTokens?: number;
  /** Ms of running time a turn, after which it is to answer. @default no limit */
  readonly turnMs?: number;
  /** Ms of running time after which a run is `expired`, whatever it does; waiting is not counted. @default no limit */
  readonly runMs?: number;
  /** Ms after which a run that nobody answered is `expired`. */
  readonly suspendedMs: number;
  /** The largest cost of a turn, in the currency of the models' prices. @default no limit */
  readonly turnCost?: number;
  /** Tokens of a turn's results that a model is shown at a time; older ones are shortened. @default 100000 */
  readonly shownTokens?: number;
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
  /** Bytes of all requests that are being read and answers that are being written. */
  readonly bytesAtOnce: number;
  /** Of these, bytes of one principal. */
  readonly bytesOfOne: number;
  /** Streams that one principal may have open at a time: of events, and lists of runs. */
  readonly streamsOfOne: number;
  /** Characters of a client tool's output for one call. */
  readonly toolOutputChars: number;
  /** Ms of silence after which a stream says that it is alive. */
  readonly heartbeatMs: number;
  /** Runs that are cached after they stopped: their variables, and their chains if they are suspended. */
  readonly warmSessions: number;
  /** About how many bytes of memory these take together. */
  readonly warmBytes: number;
  /** How often in a row a run's process may be gone without the run getting any further: it may be what crashes. */
  readonly maxCrashes: number;
  /**
   * Runs that execute at once in one process; others are `queued`. With 0 this node only serves
   * requests, and others execute the runs.
   */
  readonly runsAtOnce: number;
  /** Of these, runs of one principal: its others wait, and keep nobody else waiting. */
  readonly runsOfOne: number;
}

export const defaultServerLimits: ServerLimits = {
  rounds: 10,
  callsPerRound: 64,
  repeatedFailures: 3,
  suspendedMs: 7 * 24 * 60 * 60 * 1_000,
  bodyBytes: 64 * 1024 * 1024,
  bytesAtOnce: 512 * 1024 * 1024,
  bytesOfOne: 128 * 1024 * 1024,
  streamsOfOne: 500,
  toolOutputChars: 10 * 1024 * 1024,
  heartbeatMs: 15_000,
  warmSessions: 32,
  warmBytes: 64 * 1024 * 1024,
  maxCrashes: 10,
  runsAtOnce: 1_000,
  runsOfOne: 500,
};
