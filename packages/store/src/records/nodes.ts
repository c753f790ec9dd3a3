/** A process that has the database, as it last said. */
export interface NodeRecord {
  readonly id: string;
  /** Where it listens; null until it does. */
  readonly url: string | null;
  /** Rises as long as it lives. */
  readonly beats: number;
}

/** The processes that have one database, and how one tells that another is gone. */
export interface Nodes {
  /** This process. */
  readonly self: string;
  /**
   * Says that this node lives.
   *
   * @returns false where others had given it up: it is known again now, and what it had may be
   * theirs; its writes there are fenced
   */
  readonly beat: () => Promise<boolean>;
  readonly list: () => Promise<readonly NodeRecord[]>;
  /**
   * Gives up a node that has not beaten since: its runs are orphans now, for whoever claims them.
   *
   * @returns false where it has beaten, or another gave it up first
   */
  readonly giveUp: (node: NodeRecord) => Promise<boolean>;
  /** Asks the node that has a run to stop it, or one call of it. A hint: who is gone does not hear it. */
  readonly askToStop: (stop: StopRequest) => Promise<void>;
  /** Asks the node that has a run to show in its stream that it lives. A hint, too. */
  readonly askForSign: (runId: string) => Promise<void>;
  /** Hears what other nodes did, from now on. The listener must be quick and must not throw. */
  readonly hear: (listener: (heard: Heard) => void) => void;
}

export interface StopRequest {
  readonly runId: string;
  /** @default the whole run */
  readonly callId?: string;
}

export type Heard =
  /** They changed these runs. */
  | { readonly type: "changed"; readonly runIds: readonly string[] }
  /** They changed what these users allow: grants, or rules of their own. */
  | { readonly type: "permissions"; readonly owners: readonly string[] }
  /** Something may have been missed. */
  | { readonly type: "missed" }
  /** Somebody reads this run there, and has heard nothing for a while. */
  | { readonly type: "watched"; readonly runId: string }
  | ({ readonly type: "stop" } & StopRequest);
