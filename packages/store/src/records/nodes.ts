/** A node of the database, as of its last heartbeat. */
export interface NodeRecord {
  readonly id: string;
  /** The address that it listens on; null until it listens. */
  readonly url: string | null;
  /** The number of its heartbeats. */
  readonly beats: number;
}

/** The nodes that share one database: heartbeats and messages between them. */
export interface Nodes {
  /** This process. */
  readonly self: string;
  /**
   * Writes a heartbeat of this node.
   *
   * @returns false if another node had declared this one dead: it is registered again, but other
   * nodes can have claimed its runs, and its writes to those runs are fenced
   */
  readonly heartbeat: () => Promise<boolean>;
  readonly list: () => Promise<readonly NodeRecord[]>;
  /**
   * Declares a node dead if it has sent no heartbeat since `node` was read. Its runs are then
   * orphaned, and any node can claim them.
   *
   * @returns false if it has sent a heartbeat, or another node declared it dead first
   */
  readonly declareDead: (node: NodeRecord) => Promise<boolean>;
  /** Asks the node that owns a run to stop it, or one of its calls. Best effort: a dead node receives nothing. */
  readonly requestStop: (stop: StopRequest) => Promise<void>;
  /** Asks the node that owns a run to write a heartbeat into the run's events. Best effort. */
  readonly requestHeartbeat: (runId: string) => Promise<void>;
  /** Calls the listener for each later message of other nodes. It must return quickly and must not throw. */
  readonly subscribe: (listener: (message: NodeMessage) => void) => void;
}

/** A request to stop a run or one of its calls. */
export interface StopRequest {
  readonly runId: string;
  /** @default the whole run */
  readonly callId?: string;
}

/** A message from another node. */
export type NodeMessage =
  /** The ids of changed runs. */
  | { readonly type: "changed"; readonly runIds: readonly string[] }
  /** The users whose grants or own rules changed. */
  | { readonly type: "permissions"; readonly owners: readonly string[] }
  /** Connections that users added, or their secret settings, changed. */
  | { readonly type: "connections" }
  /** Messages have possibly been lost. */
  | { readonly type: "missed" }
  /** A reader on that node follows this run and has received nothing for a while. */
  | { readonly type: "watched"; readonly runId: string }
  | ({ readonly type: "stop" } & StopRequest);
