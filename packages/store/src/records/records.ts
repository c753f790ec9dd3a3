import type {
  ApprovalDecision,
  ApprovalRequest,
  CallRecord,
  ChainEvent,
  Grant,
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
  ExecutionApprovalView,
  ResultApprovalView,
  RunEvent,
  RunStatus,
  Switches,
  RunNotice,
} from "@capstan/contract";

/** `edit`: a person changed variables between two turns. */
export type RunKind = "turn" | "edit";

/** A run as it is stored. Times are ms since the epoch. */
export interface RunRecord {
  readonly id: string;
  readonly owner: string;
  /** The id of the run that the lineage began with; forks share it. */
  readonly sessionId: string;
  readonly conversationId: string | null;
  /** The run that this one continues. */
  readonly parentId: string | null;
  readonly kind: RunKind;
  readonly status: RunStatus;
  /** How often the run was claimed; who writes with an older one is fenced. */
  readonly epoch: number;
  /** How often its variables were changed from outside the loop. */
  readonly edits: number;
  readonly model: string;
  readonly stored: boolean;
  readonly title: string | null;
  /** What the request asked for, as the service keeps it. */
  readonly request: JsonValue;
  /** The user's input as Responses items: all of it or, if it is long, its last items with their texts cut. */
  readonly input: readonly JsonValue[];
  /** Whether `input` is cut. `Store.readInput` reads all of it. */
  readonly isInputCut: boolean;
  /** A long answer is not read, and of its log only `ancestors` reads it. */
  readonly result: (Omit<ChainResultRecord, "answer"> & Partial<ChainResultRecord>) | null;
  /** The number of the last event; 0 where there is none. */
  readonly lastSeq: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
}

/** A run as lists show it. */
export type ListedRun = Omit<RunRecord, "request"> & {
  /** Its input or its result cannot be read: neither is here. */
  readonly isDamaged?: true;
};

/**
 * A state of a run's variables. While it rests they change by an edit alone, and who goes on with
 * it is in a new epoch: where both numbers are the same, so are the variables.
 */
export type RunVersion = Pick<RunRecord, "id" | "epoch" | "edits">;

/** Enough of a run to claim it: nothing of what it holds has to be readable. */
export type RunRef = Pick<RunRecord, "id" | "owner" | "status" | "epoch">;

/** A run with what its history is made of. */
export interface RunWithMessages {
  readonly run: RunRecord;
  readonly messages: readonly Message[];
}

/** Some events of a run in order, as of one moment. */
export interface EventPage {
  readonly events: readonly RunEvent[];
  /** The run has ended: after the events that there are now none will come. */
  readonly ended: boolean;
  /** There was no room for more: read on to know whether there are. */
  readonly full: boolean;
}

/** A run's events with deltas left out; see `Store.readEventsCompact`. */
export interface CompactEvents {
  /** Follow from here. */
  readonly lastSeq: number;
  readonly events: readonly RunEvent[];
}

/** What a manifest says of one variable. One that is there has either a `value` or a `digest`. */
export interface ManifestEntry extends VariableInfo {
  /** A small value. */
  readonly value?: VariableValue;
  /** Under which a larger one is stored once a session. */
  readonly digest?: string;
  /** Out of the session's memory, to make room; the value is still to be had. */
  readonly evicted?: boolean;
  /** A result that was taken away: only its name is left. */
  readonly removed?: boolean;
}

/** The variables of a run by name. */
export type Manifest = { readonly [name: string]: ManifestEntry };

export type ApprovalStatus = ApprovalView["status"];

interface Approval {
  readonly id: string;
  readonly owner: string;
  readonly runId: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly conversationId: string | null;
  readonly createdAt: number;
  /** Its number in the order of creation. */
  readonly createdSeq: number;
  readonly expiresAt: number;
  readonly answeredAt: number | null;
}

/** The position of an approval or a grant in a list, which may merge several stores. */
export interface CreationCursor {
  readonly createdSeq: number;
  readonly id: string;
}

/** An approval without an answer, and until when it may have one. */
export type PendingApproval = Pick<Approval, "id" | "createdAt" | "expiresAt">;

/** May a call run? */
export interface ExecutionApproval extends Approval {
  readonly kind: "execution";
  readonly request: ApprovalRequest;
  readonly status: ExecutionApprovalView["status"];
  readonly answer: ApprovalDecision | null;
}

/** May its result be seen? Nothing of the result is here. */
export interface ResultApproval extends Approval {
  readonly kind: "result";
  readonly request: ReviewNotice;
  readonly status: ResultApprovalView["status"];
  readonly outcome: ReviewOutcome | null;
  /** All that the reviewer said, until it is carried out; then only the outcome is left. */
  readonly answer: ReviewDecision | null;
}

export type ApprovalRecord = ExecutionApproval | ResultApproval;

export interface GrantRecord {
  readonly owner: string;
  /** Null: it holds in every session. */
  readonly sessionId: string | null;
  readonly grant: Grant;
  readonly revokedAt: number | null;
  /** Its number in the order of creation. */
  readonly createdSeq: number;
  /** Where it was given; of branches the newest. */
  readonly conversationId: string | null;
}

/** A rule of the user's own. */
export interface OverrideRecord {
  readonly owner: string;
  readonly id: string;
  readonly rule: PolicyRule;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Its row cannot be read: `rule` denies all calls until the rule is removed. */
  readonly isDamaged?: true;
}

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
}

/** A Responses item of a run. */
export interface ItemRecord {
  readonly id: string;
  readonly runId: string;
  readonly direction: "input" | "output";
  readonly item: JsonValue;
}

/** A row of the ledger. */
export interface CallEntry {
  readonly runId: string;
  readonly call: CallRecord;
  readonly updatedAt: number;
}

/** A row of the ledger among those of other runs. */
export interface ListedCall extends CallEntry {
  /** The model of its run. */
  readonly model: string;
}

/** An entry of a list whose row cannot be read. */
export interface DamagedRecord {
  readonly id: string;
  readonly isDamaged: true;
}

/** A damaged approval or grant. */
export interface DamagedPermission extends DamagedRecord {
  readonly createdSeq: number;
}

/** One page of a list, newest first. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly hasMore: boolean;
}

/** What an event says, without its number. */
export type UnnumberedEvent = ChainEvent | RunNotice;
