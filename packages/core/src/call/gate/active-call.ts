/** A call that has not ended, as a caller that cancels it sees it. */
export interface ActiveCall {
  readonly callId: string;
  /** Stops it wherever it is; its sub-calls too. */
  cancel(reason: string): void;
}
