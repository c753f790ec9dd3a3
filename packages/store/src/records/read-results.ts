import type { RunEvent } from "@capstan/contract";
import type { CallRecord, Message } from "@capstan/core";
import type { VariableValue } from "@capstan/core/host";
import type { ListedCall, Manifest } from "./records.ts";

/** What was found, and the runs whose calls are damaged: what they had is left out. */
export interface ListedCalls {
  readonly calls: readonly ListedCall[];
  readonly unreadable: readonly string[];
}

/** The stored state from which a chain resumes. */
export interface ChainReading {
  readonly messages: readonly Message[];
  /** Without what is in quarantine. */
  readonly calls: readonly CallRecord[];
  /** What happened, without items that have ended. */
  readonly events: readonly ChainStateEvent[];
}

/** The part of an event that a chain's state needs: for most events only their type and time. */
export type ChainStateEvent =
  | FullEvent
  | { readonly type: Exclude<RunEvent["type"], FullEvent["type"]>; readonly at?: number };

/** The variables of a run as they are, with the values of those that are there and not very large. */
export interface RunVariables {
  readonly manifest: Manifest;
  /** By digest, of those that are not in their entry. What is missing is to be read by itself. */
  readonly values: { readonly [digest: string]: VariableValue };
}

/**
 * Why a lineage is never deleted by age: a run that has not ended, an open approval or review, a call
 * whose outcome is unknown, or damaged calls.
 */
export type RetentionHold = "unfinished" | "question" | "unknown_outcome" | "unreadable";

/** A conversation or a session: what hangs together is found from any of it. */
export interface LineageStart {
  readonly type: "conversation" | "session";
  readonly id: string;
}

/** A lineage with what it takes. */
export type SizedLineage = Lineage & { readonly bytes: number };

/** Where something may be to forget, and when that was changed last. */
export interface Untouched extends LineageStart {
  readonly touchedAt: number;
}

/** Rows of a session that none of its runs leads to. */
export interface Unreachable {
  readonly sessionId: string;
  /** How the session was as this was found; it holds only while that is so. */
  readonly seen: string;
  readonly manifests: readonly string[];
  readonly values: readonly string[];
}

/** What a user has in the store. Bytes are those of the texts: a database needs some more for its order. */
export interface Usage {
  readonly owner: string;
  readonly conversations: number;
  readonly runs: number;
  readonly bytes: number;
  readonly byKind: { readonly [kind in UsageKind]: number };
}

/**
 * The published position of a run, up to which it may be read. The database may be ahead by a commit
 * whose outcome has not arrived yet; reading beyond the position could skip a delta.
 */
export interface PublishedPosition {
  readonly lastSeq: number;
  /** Items under way: where their deltas are in the tail, every 256th of them and the newest, in order. */
  readonly items: readonly { readonly itemId: string; readonly heads: readonly TailMark[] }[];
}

/** A run that was in progress when the last process ended, with its open items. */
export interface RecoveredRun {
  readonly runId: string;
  readonly lastSeq: number;
  readonly items: readonly { readonly itemId: string; readonly head: number }[];
}

/** What takes room, as people tell it apart. */
export type UsageKind = "events" | "messages" | "calls" | "variables" | "other";

/**
 * Conversations and sessions that hang together, whole: a conversation with its branches and forks,
 * or the runs that continue each other. Nothing outside reaches into it.
 */
export interface Lineage {
  /** In order; one without any begins at its first session. */
  readonly conversations: readonly string[];
  readonly sessions: readonly string[];
  readonly runIds: readonly string[];
  /** When the last of it was changed, in ms since the epoch. */
  readonly touchedAt: number;
  readonly holds: readonly RetentionHold[];
}

export type FullEvent = Extract<
  RunEvent,
  { type: "round.started" | "round.ended" | "item.start" | "item.delta" }
>;

/** A row of the tail, and the number of its delta. */
export interface TailMark {
  readonly seq: number;
  readonly n: number;
}
