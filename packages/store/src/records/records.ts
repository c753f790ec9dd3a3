import type {
  ApprovalDecision,
  ApprovalRequest,
  CallRecord,
  ChainEvent,
  Grant,
  JsonObject,
  JsonValue,
  Message,
  PolicyRule,
  ReviewDecision,
  VariableInfo,
} from "@capstan/core";
import type {
  ChainResultRecord,
  ReviewNotice,
  ReviewOutcome,
  VariableValue,
} from "@capstan/core/host";
import type {
  ApprovalView,
  ConversationState,
  ExecutionApprovalView,
  ResultApprovalView,
  RunEvent,
  RunStatus,
  Switches,
  RunNotice,
} from "@capstan/contract";

/** `edit`: a user changed variables between two turns. */
export type RunKind = "turn" | "edit";

/** A run as it is stored. Times are ms since the epoch. */
export interface RunRecord {
  readonly id: string;
  readonly owner: string;
  /** The id of the first run of the lineage; forks share it. */
  readonly sessionId: string;
  readonly conversationId: string | null;
  /** The run that this one continues. */
  readonly parentId: string | null;
  readonly kind: RunKind;
  readonly status: RunStatus;
  /** How often the run was claimed. Writes with an older epoch are fenced. */
  readonly epoch: number;
  /** How often the run's variables were changed from outside the loop. */
  readonly edits: number;
  readonly model: string;
  readonly stored: boolean;
  readonly title: string | null;
  /** The request, encoded by `encodeRunRequest`. */
  readonly request: JsonValue;
  /**
   * The user's input as Responses items: all of it or, if it is long, its last items with truncated
   * texts.
   */
  readonly input: readonly JsonValue[];
  /** Whether `input` is truncated. `Store.readInput` reads all of it. */
  readonly isInputCut: boolean;
  /** A long answer is left out. Only `ancestors` reads the log of such a result. */
  readonly result: (Omit<ChainResultRecord, "answer"> & Partial<ChainResultRecord>) | null;
  /** The number of the last event; 0 if there is none. */
  readonly lastSeq: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
}

/** A run as lists show it. */
export type ListedRun = Omit<RunRecord, "request"> & {
  /** The input or the result cannot be read: both are empty here. */
  readonly isCorrupt?: true;
};

/**
 * A version of a run's variables. While a run is not in progress, only edits change its variables,
 * and a run that resumes has a new epoch. So if both numbers are the same, the variables are the
 * same.
 */
export type RunVersion = Pick<RunRecord, "id" | "epoch" | "edits">;

/** The part of a run that a claim needs; other parts of the run can be unreadable. */
export type RunRef = Pick<RunRecord, "id" | "owner" | "status" | "epoch">;

/** A run with the messages and items of its history. */
export interface RunWithMessages {
  readonly run: RunRecord;
  readonly messages: readonly Message[];
}

/** Some events of a run in order, from one snapshot. */
export interface EventPage {
  readonly events: readonly RunEvent[];
  /** The run has ended: no events follow the last stored one. */
  readonly ended: boolean;
  /** The page is full: read the next page to find out whether there are more events. */
  readonly full: boolean;
}

/** A run's events without deltas; see `Store.readEventsCompact`. */
export interface CompactEvents {
  /** The event number from which to follow the run. */
  readonly lastSeq: number;
  readonly events: readonly RunEvent[];
}

/** A variable in a manifest. An existing one has either a `value` or a `digest`. */
export interface ManifestEntry extends VariableInfo {
  /** A small value. */
  readonly value?: VariableValue;
  /** The digest under which a larger value is stored once per session. */
  readonly digest?: string;
  /** Evicted from the session's memory; the store still has the value. */
  readonly evicted?: boolean;
  /** A withdrawn result, of which only the name is stored. */
  readonly removed?: boolean;
}

/** The variables of a run by name. */
export type Manifest = { readonly [name: string]: ManifestEntry };

/** The status of an approval. */
export type ApprovalStatus = ApprovalView["status"];

interface Approval {
  readonly id: string;
  readonly owner: string;
  readonly runId: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly conversationId: string | null;
  readonly createdAt: number;
  /** The number in the order of creation. */
  readonly createdSeq: number;
  readonly expiresAt: number;
  readonly answeredAt: number | null;
}

/** The position of an approval or a grant in a list, which can merge several stores. */
export interface CreationCursor {
  readonly createdSeq: number;
  readonly id: string;
}

/** An approval without an answer, with its deadline. */
export type PendingApproval = Pick<Approval, "id" | "createdAt" | "expiresAt">;

/** Asks whether a call is allowed to run. */
export interface ExecutionApproval extends Approval {
  readonly kind: "execution";
  readonly request: ApprovalRequest;
  readonly status: ExecutionApprovalView["status"];
  readonly answer: ApprovalDecision | null;
}

/** Asks whether reading a result is allowed. The request does not contain the result. */
export interface ResultApproval extends Approval {
  readonly kind: "result";
  readonly request: ReviewNotice;
  readonly status: ResultApprovalView["status"];
  readonly outcome: ReviewOutcome | null;
  /** The reviewer's whole answer until it is carried out; afterwards only the outcome. */
  readonly answer: ReviewDecision | null;
}

/** An approval of a call or of its result. */
export type ApprovalRecord = ExecutionApproval | ResultApproval;

/** A grant: calls that a user allowed in advance. */
export interface GrantRecord {
  readonly owner: string;
  /** Null if it applies in every session. */
  readonly sessionId: string | null;
  readonly grant: Grant;
  readonly revokedAt: number | null;
  /** The number in the order of creation. */
  readonly createdSeq: number;
  /** The conversation in which the grant was given; if it has several branches, the newest one. */
  readonly conversationId: string | null;
}

/** A rule of a user. */
export interface OverrideRecord {
  readonly owner: string;
  readonly id: string;
  readonly rule: PolicyRule;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The row cannot be read: `rule` denies all calls until the rule is removed. */
  readonly isCorrupt?: true;
}

/** An agent of a user. */
export interface AgentRecord {
  readonly owner: string;
  /** Unique for its owner. */
  readonly name: string;
  /** The preset as the API accepted it. */
  readonly agent: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A stored chat completion. */
export interface CompletionRecord {
  /** The run of its first choice. */
  readonly id: string;
  readonly metadata: { readonly [key: string]: string };
  /** The runs of all choices, in order. */
  readonly runIds: readonly string[];
}

/** `message`: a message; `run`, `thread`: what a user changed about a run or a thread. */
export type ThreadObjectKind = "thread" | "message" | "run";

/** A part of a thread that is neither a run nor a conversation. */
export interface ThreadObjectRecord {
  readonly id: string;
  readonly owner: string;
  readonly conversationId: string;
  readonly kind: ThreadObjectKind;
  readonly data: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A conversation with its current head. */
export interface ConversationRecord {
  readonly id: string;
  readonly owner: string;
  readonly title: string;
  readonly metadata: { readonly [key: string]: string };
  readonly switches: Switches;
  readonly headRunId: string | null;
  readonly headStatus: RunStatus | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly state: ConversationState;
}

/** A Responses item of a run. */
export interface ItemRecord {
  readonly id: string;
  readonly runId: string;
  readonly direction: "input" | "output";
  readonly item: JsonValue;
}

/** A call of the ledger. */
export interface CallEntry {
  readonly runId: string;
  readonly call: CallRecord;
  readonly updatedAt: number;
}

/** A call of the ledger in a list over several runs. */
export interface ListedCall extends CallEntry {
  /** The model of its run. */
  readonly model: string;
}

/** An entry of a list whose row cannot be read. */
export interface CorruptRecord {
  readonly id: string;
  readonly isCorrupt: true;
}

/** A corrupt approval or grant. */
export interface CorruptPermission extends CorruptRecord {
  readonly createdSeq: number;
}

/** One page of a list, newest first. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly hasMore: boolean;
}

/** An event without its number. */
export type UnnumberedEvent = ChainEvent | RunNotice;
