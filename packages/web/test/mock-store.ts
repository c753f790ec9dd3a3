import type {
  ExecutionAnswerBody,
  ConversationView,
  GrantView,
  RunEvent,
  RunStatus,
  RunWithEvents,
  VariableView,
} from "@capstan/contract";
import { compacted, type Step } from "./script.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A run of the mock server: its events, its readers, and its pending approvals. */
export interface MockRun {
  readonly view: Mutable<Omit<RunWithEvents, "events">>;
  readonly log: RunEvent[];
  readonly readers: Set<(event: RunEvent) => void>;
  readonly stop: AbortController;
  readonly callStops: Map<string, AbortController>;
}

export interface MockApproval {
  readonly run: MockRun;
  readonly callId: string;
  status: "pending" | "allowed" | "refused";
  readonly request: Extract<Step, { type: "approval.requested" }>["approval"];
  readonly answered: (body: ExecutionAnswerBody) => void;
}

export type MockVariable = Mutable<VariableView> & { text: string };

/** The state of the mock server. */
export interface MockStore {
  readonly conversations: Map<string, Mutable<ConversationView>>;
  readonly runs: Map<string, MockRun>;
  readonly approvals: Map<string, MockApproval>;
  readonly grants: Map<string, GrantView>;
  readonly variables: Map<string, Map<string, MockVariable>>;
  /** List entries whose stored rows are corrupt. */
  damaged: { conversations: string[]; grants: string[]; variables: string[] };
  /**
   * Scripts pause at certain steps until this resolves, so that a test can check the page there.
   */
  held: Promise<void>;
  nextId: number;
}

export function createMockStore(): MockStore {
  return {
    conversations: new Map(),
    runs: new Map(),
    approvals: new Map(),
    grants: new Map(),
    variables: new Map(),
    damaged: { conversations: [], grants: [], variables: [] },
    held: Promise.resolve(),
    nextId: 1,
  };
}

export function addConversation(store: MockStore, switches: Partial<ConversationView["switches"]>) {
  const now = Date.now();
  const conversation: Mutable<ConversationView> = {
    id: `conv_${store.nextId++}`,
    object: "conversation",
    title: "",
    created_at: Math.floor(now / 1000),
    updated_at: now,
    metadata: {},
    head: null,
    head_status: null,
    switches: { groups: {}, tools: {}, ...switches },
    state: "open" as const,
  };
  store.conversations.set(conversation.id, conversation);
  store.variables.set(conversation.id, new Map());
  return conversation;
}

export function addRun(
  store: MockStore,
  conversation: string,
  model: string,
  input: readonly unknown[],
): MockRun {
  const parent = store.conversations.get(conversation);
  const run: MockRun = {
    view: {
      id: `resp_${store.nextId++}`,
      object: "run",
      conversation,
      previous: parent?.head ?? null,
      status: "queued",
      waiting: [],
      model,
      input,
      input_cut: false,
      created_at: Date.now(),
      ended_at: null,
      error: null,
      usage: null,
      stats: null,
      last_seq: 0,
    },
    log: [],
    readers: new Set(),
    stop: new AbortController(),
    callStops: new Map(),
  };
  store.runs.set(run.view.id, run);
  setStatus(store, run, "in_progress");
  return run;
}

export function setStatus(store: MockStore, run: MockRun, status: RunStatus): void {
  run.view.status = status;
  const conversation = store.conversations.get(run.view.conversation ?? "");
  if (conversation === undefined) return;
  conversation.head = run.view.id;
  conversation.head_status = status;
  conversation.updated_at = Date.now();
}

/** Numbers an event, stores it, and sends it to the readers. */
export function emit(run: MockRun, step: Step): void {
  const event: RunEvent = { ...step, seq: ++run.view.last_seq };
  run.log.push(event);
  for (const reader of run.readers) reader(event);
}

export function withEvents(run: MockRun): RunWithEvents {
  return { ...run.view, events: compacted(run.log) };
}

export function putVariable(
  store: MockStore,
  conversation: string,
  name: string,
  text: string,
  more: Partial<VariableView> = {},
): MockVariable {
  const now = Date.now();
  const variable: MockVariable = {
    name,
    type: "ToolCallResult",
    tags: [],
    keep: false,
    created: now,
    updated: now,
    lastVisited: now,
    referenceCount: 0,
    object: "variable",
    ...more,
    text,
    length: text.length,
    bytes: Buffer.byteLength(text),
  };
  store.variables.get(conversation)?.set(name, variable);
  return variable;
}
