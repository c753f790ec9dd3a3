/** A call under way, as whoever stops it sees it. */
export interface Stoppable {
  readonly callId: string;
  /** Stops it wherever it is; its sub-calls too. */
  cancel(reason: string): void;
}
