import type { RunEvent } from "@capstan/contract";
import type { CallRecord, Message } from "@capstan/core";
import type { VariableValue } from "@capstan/core/host";
import type { ListedCall, Manifest } from "./records.ts";

/** The calls found, and the runs whose calls are corrupt and left out. */
export interface ListedCalls {
  readonly calls: readonly ListedCall[];
  readonly unreadable: readonly string[];
}

/** The stored state from which a chain resumes. */
export interface ChainReading {
  readonly messages: readonly Message[];
  /** Without results in quarantine. */
  readonly calls: readonly CallRecord[];
  /** The events, without those of items that have ended. */
  readonly events: readonly ChainStateEvent[];
}

/** The part of an event that a chain's state needs: for most events only their type and time. */
export type ChainStateEvent =
  | FullEvent
  | { readonly type: Exclude<RunEvent["type"], FullEvent["type"]>; readonly at?: number };

/** The current variables of a run, with the values that exist and are not very large. */
export interface RunVariables {
  readonly manifest: Manifest;
  /**
   * Small values by digest, except values that are stored in their entry. Other values must be read
   * one by one.
   */
  readonly values: { readonly [digest: string]: VariableValue };
  /** Digests of small values that are corrupt or missing. */
  readonly corrupt: readonly string[];
}

/**
 * Why a lineage is never deleted by age: a run that has not ended, an open approval or review, a call
 * whose outcome is unknown, or corrupt calls.
 */
export type RetentionHold = "unfinished" | "question" | "unknown_outcome" | "unreadable";

/** A conversation or a session of a lineage; the lineage is found from any of them. */
export interface LineageStart {
  readonly type: "conversation" | "session";
  readonly id: string;
}

/** A lineage with its size. */
export type SizedLineage = Lineage & { readonly bytes: number };

/** A candidate for deletion, with the time of its last change. */
export interface Untouched extends LineageStart {
  readonly touchedAt: number;
}

/** Rows of a session that none of its runs refers to. */
export interface Unreachable {
  readonly sessionId: string;
  /**
   * The version of the session when this was found; the rows are unreachable only while the version
   * is unchanged.
   */
  readonly seen: string;
  readonly manifests: readonly string[];
  readonly values: readonly string[];
}

/**
 * The storage that a user's data uses. Bytes include only the texts; the database also needs space
 * for indexes.
 */
export interface Usage {
  readonly owner: string;
  readonly conversations: number;
  readonly runs: number;
  readonly bytes: number;
  readonly byKind: { readonly [kind in UsageKind]: number };
}

/**
 * The published position of a run, up to which it can be read. The database can be ahead by a
 * commit whose outcome has not arrived yet; reading beyond the position could skip a delta.
 */
export interface PublishedPosition {
  readonly lastSeq: number;
  /**
   * Unfinished items in order: where their deltas are in the tail, as every 256th delta and the
   * newest one.
   */
  readonly items: readonly { readonly itemId: string; readonly heads: readonly TailMark[] }[];
}

/** A run that was in progress when the last process ended, with its open items. */
export interface RecoveredRun {
  readonly runId: string;
  readonly lastSeq: number;
  readonly items: readonly { readonly itemId: string; readonly head: number }[];
}

/** The categories of storage that users see. */
export type UsageKind = "events" | "messages" | "calls" | "variables" | "files" | "other";

/**
 * Related conversations and sessions, complete: a conversation with its branches and forks, or the
 * runs that continue each other. No other conversation or session refers to it.
 */
export interface Lineage {
  /** In order; empty if the lineage has only sessions. */
  readonly conversations: readonly string[];
  readonly sessions: readonly string[];
  readonly runIds: readonly string[];
  /** When any part of it was last changed, in ms since the epoch. */
  readonly touchedAt: number;
  readonly holds: readonly RetentionHold[];
}

/** The events that a chain's state needs completely. */
export type FullEvent = Extract<
  RunEvent,
  { type: "round.started" | "round.ended" | "item.start" | "item.delta" }
>;

/** A row of the tail, and the number of its delta. */
export interface TailMark {
  readonly seq: number;
  readonly n: number;
}
