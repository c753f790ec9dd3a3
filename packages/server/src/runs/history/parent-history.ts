import type { Message } from "@capstan/core";
import { neutraliseMessage } from "@capstan/core/host";
import type { RunRecord, RunWithMessages, Store } from "@capstan/store";
import { contextOf } from "../active/launch.ts";

/** The parts of the history of a run and its ancestors that the merge compares with items. */
export interface ParentHistory {
  readonly runIds: ReadonlySet<string>;
  /** The keys of all messages with text, in order; see `messageKey`. */
  readonly messages: readonly string[];
  /** The keys of the messages that are not the model's, in order. */
  readonly input: readonly string[];
  /** The number of calls by their id. */
  readonly calls: ReadonlyMap<string, number>;
}

/** Returns the ids of a run's open client calls, which the next request can answer. */
export function openCallsOf(run: RunRecord): ReadonlySet<string> {
  const open = new Set<string>();
  for (const waiting of run.result?.waiting ?? [])
    if (waiting.type === "client_call") open.add(waiting.callId);
  return open;
}

/** Returns the ids of the approvals for which a run ended. */
export function openApprovalsOf(run: RunRecord): ReadonlySet<string> {
  const open = new Set<string>();
  for (const waiting of run.result?.waiting ?? [])
    if (waiting.type === "approval") open.add(waiting.approval.id);
  return open;
}

/** A run, and the messages that it added to the history of its ancestors. */
export interface LineageEntry {
  readonly run: RunRecord;
  readonly messages: readonly Message[];
}

/**
 * Reads the messages of a run and its ancestors, oldest first. A run whose turn another one took
 * over has no entry, because the messages of its turn are those of the successor.
 */
export async function readLineage(store: Store, run: RunRecord): Promise<readonly LineageEntry[]> {
  let lineage: LineageEntry[] = [];
  let before: readonly Message[] = [];
  for (const ancestor of await readAncestors(store, run)) {
    if (ancestor.replacesHistory) {
      lineage = lineage.map((entry) => ({ run: entry.run, messages: [] }));
      before = [];
    }
    const messages = [...before, ...ancestor.messages];
    if (!ancestor.isTakenOver) lineage.push({ run: ancestor.run, messages });
    before = ancestor.isTakenOver ? messages : [];
  }
  return lineage;
}

/** Reads the history of a run, its own turn included. */
export async function readParentHistory(store: Store, run: RunRecord): Promise<ParentHistory> {
  const ancestors = await readAncestors(store, run);
  const messages: string[] = [];
  const input: string[] = [];
  const calls = new Map<string, number>();
  const add = (message: Message): void => {
    if (message.role === "tool") return;
    const key = messageKey(message);
    if (message.content !== "") messages.push(key);
    if (message.role !== "assistant") return void input.push(key);
    for (const { id } of message.tool_calls ?? []) calls.set(id, (calls.get(id) ?? 0) + 1);
  };
  for (const ancestor of ancestors) {
    if (ancestor.replacesHistory) for (const known of [messages, input, calls]) clear(known);
    for (const message of ancestor.messages) add(message);
  }
  return { runIds: new Set(ancestors.map((each) => each.run.id)), messages, input, calls };
}

interface Ancestor extends LineageEntry {
  /** Another run took its turn over and has the turn's messages. */
  readonly isTakenOver: boolean;
  /** Its messages are the whole history so far. */
  readonly replacesHistory: boolean;
}

/** Reads a run and its ancestors, oldest first, each with the messages that later runs read of it. */
async function readAncestors(
  store: Store,
  { owner, id: runId }: RunRecord,
): Promise<readonly Ancestor[]> {
  const ancestors = (await store.ancestors({ owner, runId })) ?? [];
  const read: Ancestor[] = [];
  for (const [index, ancestor] of ancestors.entries()) {
    const { run } = ancestor;
    const { context, restates } = contextOf(ancestor);
    const isTakenOver = isTakenOverBy(ancestors[index + 1]);
    const turn = run.kind === "edit" || isTakenOver ? [] : ancestor.messages;
    const messages = restates === "own" ? turn : [...(await store.readList(context)), ...turn];
    read.push({ run, messages, isTakenOver, replacesHistory: restates === "all" });
  }
  return read;
}

function clear(known: unknown[] | Map<string, number>): void {
  if (Array.isArray(known)) known.length = 0;
  else known.clear();
}

function isTakenOverBy(next: RunWithMessages | undefined): boolean {
  return next !== undefined && contextOf(next).adopts;
}

/** Returns a key that is the same for messages of the same role and content. */
export function messageKey(message: Message): string {
  const { role, content } = neutraliseMessage(message);
  return `${role} ${typeof content === "string" ? content : JSON.stringify(content)}`;
}

/**
 * Returns a function that says whether the history has a message. Call it with messages in reverse
 * order, because it searches only before the message that it found last.
 */
export function searchBackwards(messages: readonly string[]): (key: string) => boolean {
  const positions = new Map<string, number[]>();
  for (const [position, key] of messages.entries()) {
    const known = positions.get(key);
    if (known === undefined) positions.set(key, [position]);
    else known.push(position);
  }
  let end = messages.length;
  return (key) => {
    const known = positions.get(key);
    while (known !== undefined && (known.at(-1) ?? -1) >= end) known.pop();
    const found = known?.pop();
    if (found === undefined) return false;
    end = found;
    return true;
  };
}
