import type {
  ConversationView,
  RunView,
  RunWithEvents,
  Switches,
  UserEvent,
} from "@capstan/contract";
import { batch, createMemo, createSignal } from "solid-js";
import { hasStatus, isAbort, messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { hasEnded } from "../run/run-state.ts";
import { branchOf } from "./branches.ts";
import { noSwitches } from "./switches.ts";
import { ApiError, type MessageFile } from "@capstan/client";
import { chatTexts } from "../texts/chat.ts";
import { createLiveRun, type LiveRun } from "./live-run.ts";

export type ChatStatus =
  | { readonly type: "ready" }
  | { readonly type: "loading" }
  | { readonly type: "missing" }
  | { readonly type: "failed"; readonly message: string };

export interface SendOptions {
  readonly text: string;
  readonly files: readonly SentFile[];
  readonly model: string;
  readonly groups: readonly string[];
  /** @default none */
  readonly instructions?: string | undefined;
  /**
   * The run that the message follows, or null for the start of the chat.
   *
   * @default the last run that is shown
   */
  readonly after?: string | null;
}

/** A file of a message, with the name that the page shows until the run is loaded again. */
export interface SentFile extends MessageFile {
  readonly name: string;
}

/** A message that is being sent. */
export interface SendingMessage {
  readonly text: string;
  readonly files: readonly SentFile[];
}

export interface ChatEvents {
  /** Called when the first message has created a conversation. */
  readonly onCreated: (conversation: ConversationView) => void;
  /** Called when a turn begins or ends, to update the list of conversations. */
  readonly onTurnChanged: (conversation: string) => void;
  /** The switches of new chats. */
  readonly defaultSwitches: () => Switches;
  /** The id of the model with which a chat is created. */
  readonly newModel: () => string | null;
}

/** The member of a conversation's metadata with its model. */
const modelKey = "capstan_model";

/** The delay in milliseconds that collects the events of one change. */
const eventDelay = 50;

/** Creates the state of the open conversation: its runs and actions. */
export function createChat(events: ChatEvents) {
  const [conversation, setConversation] = createSignal<ConversationView | null>(null);
  const [status, setStatus] = createSignal<ChatStatus>({ type: "ready" });
  const [runs, setRuns] = createSignal<readonly LiveRun[]>([]);
  /** A run of the branch that is shown; null for the newest branch. */
  const [chosen, setChosen] = createSignal<string | null>(null);
  /** The run to which the view moves. */
  const [revealed, setRevealed] = createSignal<string | null>(null, { equals: false });
  /** The runs of the branch that is shown, oldest first. */
  const branch = createMemo(() => branchOf(runs(), chosen()));
  /** The message that is being sent. */
  const [sending, setSending] = createSignal<SendingMessage | null>(null);
  /** The reason why the last action failed. */
  const [sendError, setSendError] = createSignal<string | null>(null);
  const [draftSwitches, setDraftSwitches] = createSignal<Switches | null>(null);
  const switchesOfNew = () => draftSwitches() ?? events.defaultSwitches();
  /** Counts events that may have changed variables or grants. */
  const [revision, setRevision] = createSignal(0);
  let loading = new AbortController();
  let soon: ReturnType<typeof setTimeout> | undefined;
  /** Resolves when no message is being sent. */
  let sendingDone: Promise<unknown> = Promise.resolve();
  /** The run to show when its conversation is open. */
  let next: { readonly conversation: string; readonly run: string } | null = null;
  let making: Promise<ConversationView> | undefined;
  /** The conversation requested last, and the request that loads it. */
  let wanted: string | null = null;
  let opening: Promise<void> = Promise.resolve();
  /** The stored switches, and the request that saves later changes. */
  let stored = noSwitches;
  let saving: Promise<unknown> = Promise.resolve();

  /** Changes only if another conversation is opened. */
  const conversationId = createMemo(() => conversation()?.id ?? null);
  /** The run in progress, or null. */
  const active = createMemo(() => runs().findLast((run) => !hasEnded(run.state().phase)) ?? null);
  const noteChange = () => void setRevision((count) => count + 1);

  function live(run: RunWithEvents): LiveRun {
    return createLiveRun({
      run,
      onProgress(batchOfEvents) {
        if (
          batchOfEvents.some(({ type }) => type === "call.settled" || type === "approval.answered")
        )
          noteChange();
        if (batchOfEvents.some(({ type }) => type === "chain.ended")) {
          noteChange();
          if (run.conversation !== null) events.onTurnChanged(run.conversation);
        }
      },
    });
  }

  function close(): void {
    loading.abort();
    loading = new AbortController();
    making = undefined;
    for (const run of runs()) run.stop();
    batch(() => {
      setConversation(null);
      setRuns([]);
      setChosen(null);
      setSendError(null);
      setDraftSwitches(null);
      noteChange();
    });
  }

  function open(id: string | null): Promise<void> {
    wanted = id;
    opening = batch(() => {
      setStatus({ type: id === null ? "ready" : "loading" });
      close();
      return id === null ? Promise.resolve() : load(id);
    });
    return opening;
  }

  async function load(id: string): Promise<void> {
    const { signal } = loading;
    try {
      const [found, known] = await Promise.all([
        client.conversation(id, signal),
        client.runs(id, signal),
      ]);
      if (signal.aborted) return;
      stored = found.switches;
      batch(() => {
        setConversation(found);
        setRuns(known.map(live));
        setStatus({ type: "ready" });
        if (next?.conversation === id) reveal(next.run);
        next = null;
      });
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      const missing = hasStatus(error, 404);
      setStatus(missing ? { type: "missing" } : { type: "failed", message: messageOf(error) });
    }
  }

  /** Shows the branch of a run, and moves the view to it. */
  function reveal(run: string): void {
    if (!runs().some(({ view }) => view.id === run)) return;
    setChosen(run);
    setRevealed(run);
  }

  /** Shows a run of a conversation, at once or when the conversation is open. */
  function showNext(id: string, run: string | null): void {
    next = run === null ? null : { conversation: id, run };
    if (conversation()?.id !== id || run === null) return;
    next = null;
    reveal(run);
  }

  async function make(title: string): Promise<ConversationView> {
    const { signal } = loading;
    const model = events.newModel();
    const made = await client.createConversation({
      title,
      switches: switchesOfNew(),
      ...(model !== null && { metadata: { [modelKey]: model } }),
    });
    if (!signal.aborted) {
      wanted = made.id;
      stored = made.switches;
      setConversation(made);
      events.onCreated(made);
    }
    return made;
  }

  /** Returns the open conversation, or creates one. */
  async function ensureConversation(title = ""): Promise<ConversationView> {
    await opening;
    const open = conversation();
    if (open !== null) return open;
    making ??= make(title).finally(() => (making = undefined));
    return making;
  }

  /** Shows a run that has just started here; all its events arrive in the stream. */
  function add(run: RunView): void {
    setChosen(null);
    adopt(run);
  }

  /** Adds a run of this or another client. */
  function adopt(run: RunView): void {
    setRuns((before) =>
      before.some(({ view }) => view.id === run.id)
        ? before
        : [...before, live({ ...run, events: [], last_seq: 0, status: "queued" })],
    );
  }

  /** Returns whether a conversation is still open and loaded. */
  const isShown = (id: string, signal: AbortSignal) =>
    !signal.aborted && conversation()?.id === id && status().type === "ready";

  /** Shows changes by other clients in the open conversation since it was loaded. */
  async function synchronize(): Promise<void> {
    await opening;
    const { signal } = loading;
    const id = conversation()?.id;
    if (id === undefined || status().type !== "ready") return;
    try {
      const [found, newest] = await Promise.all([
        client.conversation(id, signal),
        client.newestRuns(id, signal),
      ]);
      // The page shows a run that it started when the server answers the request.
      await sendingDone;
      if (!isShown(id, signal)) return;
      const known = new Set(runs().map(({ view }) => view.id));
      const isFar = newest.has_more && !newest.data.some((run) => known.has(run.id));
      if (isFar || newest.data.some((run) => run.object === "corrupt" && !known.has(run.id)))
        return void open(id);
      batch(() => {
        showConversation(found);
        for (const run of newest.data.toReversed()) if (run.object === "run") adopt(run);
      });
    } catch (error) {
      // If the server cannot be reached, the page synchronizes again as soon as it can.
      if (!signal.aborted && hasStatus(error, 404)) leaveDeleted();
    }
  }

  function showConversation(found: ConversationView): void {
    // The switches that this page is saving are newer.
    const isSaving = conversation()?.switches !== stored;
    if (!isSaving) stored = found.switches;
    setConversation((now) => (isSaving && now ? { ...found, switches: now.switches } : found));
  }

  function leaveDeleted(): void {
    close();
    setStatus({ type: "missing" });
  }

  /** Applies a change by this or another client. */
  async function note(event: UserEvent): Promise<void> {
    if (event.type === "resync") return synchronize();
    if (event.type === "run.deleted")
      return void setRuns((before) => before.filter(({ view }) => view.id !== event.run));
    if (!("conversation" in event) || event.conversation !== wanted || wanted === null) return;
    if (event.type === "conversation.deleted") return leaveDeleted();
    if ("run" in event && !(await isKnown(event.run))) synchronizeSoon();
  }

  /** Shows the new title and switches of the open conversation, and new runs. */
  async function noteConversation(found: ConversationView): Promise<void> {
    if (conversation()?.id !== found.id || status().type !== "ready") return;
    showConversation(found);
    if (found.head !== null && !(await isKnown(found.head))) synchronizeSoon();
  }

  /**
   * Returns whether a run is shown. Waits for a message that is being sent, because its run is
   * shown then.
   */
  async function isKnown(run: string): Promise<boolean> {
    await sendingDone;
    return runs().some(({ view }) => view.id === run);
  }

  /** Synchronizes once for several events of one change. */
  function synchronizeSoon(): void {
    soon ??= setTimeout(() => {
      soon = undefined;
      void synchronize();
    }, eventDelay);
  }

  function send(options: SendOptions): Promise<boolean> {
    const sent = sendNow(options);
    sendingDone = Promise.all([sendingDone, sent.catch(() => {})]);
    return sent;
  }

  /** Returns whether the message was sent; if not, `sendError` has the reason. */
  async function sendNow(options: SendOptions): Promise<boolean> {
    if (sending() !== null || active() !== null) return false;
    setSending({ text: options.text, files: options.files });
    setSendError(null);
    const { signal } = loading;
    // If `after` is absent, the message follows the newest run, which may come from another tab.
    const isNewest = branch().at(-1) === runs().at(-1);
    const last = branch().at(-1)?.view.id ?? null;
    // The server rejects the message if another client has continued the conversation.
    const newest = runs().findLast(({ view }) => view.added !== true);
    const known = conversation() === null ? undefined : (newest?.view.id ?? null);
    const place = options.after === undefined && !isNewest ? last : options.after;
    try {
      const name = titleFrom(options.text) || (options.files[0]?.name ?? "");
      const { id, title } = await ensureConversation(name);
      if (title === "") await client.updateConversation(id, { title: name });
      // Save the switches first: they decide which tools the turn offers.
      await saving.catch(() => {});
      const { id: run } = await client.startRun({
        model: options.model,
        text: options.text,
        files: options.files,
        conversation: id,
        groups: options.groups,
        instructions: options.instructions,
        after: place,
        head: known,
      });
      events.onTurnChanged(id);
      if (signal.aborted) return true;
      batch(() => {
        setSending(null);
        add(newRun(run, id, options, place === undefined ? last : place));
      });
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const isStale = error instanceof ApiError && error.code === "conversation_changed";
      setSendError(isStale ? chatTexts.stale : messageOf(error));
      if (hasStatus(error, 409)) synchronizeSoon();
      return false;
    } finally {
      setSending(null);
    }
  }

  /** Shows switches at once and saves them one after another: two requests may arrive in either order. */
  async function saveSwitches({ id }: ConversationView, switches: Switches): Promise<void> {
    const isOpen = () => conversation()?.id === id;
    const show = (shown: Switches) =>
      setConversation((now) => (now?.id === id ? { ...now, switches: shown } : now));
    show(switches);
    const save = () => client.updateConversation(id, { switches });
    const mine = saving.then(save, save);
    saving = mine;
    try {
      const saved = await mine;
      if (isOpen()) stored = saved.switches;
    } finally {
      // Switches that could not be saved are shown with their stored value.
      if (saving === mine && isOpen()) show(stored);
    }
  }

  /** Stores the model of the open conversation. Returns false if there is none. */
  function setModel(id: string): boolean {
    const open = conversation();
    if (open === null) return false;
    const metadata = { ...open.metadata, [modelKey]: id };
    setConversation((now) => (now?.id === open.id ? { ...now, metadata } : now));
    void attempt(() => client.updateConversation(open.id, { metadata }));
    return true;
  }

  async function attempt(action: () => Promise<unknown>): Promise<void> {
    setSendError(null);
    try {
      await action();
    } catch (error) {
      setSendError(messageOf(error));
    }
  }

  return {
    conversation,
    conversationId,
    status,
    runs,
    branch,
    showNext,
    revealed,
    showBranch: (run: string) => void setChosen(run),
    active,
    sending,
    sendError,
    revision,
    switches: () => conversation()?.switches ?? switchesOfNew(),
    /** The id of the model that was chosen for the open conversation. */
    model: () => conversation()?.metadata[modelKey] ?? null,
    setModel,
    open,
    reload: () => open(wanted),
    send,
    stop: () =>
      attempt(async () => {
        const run = active();
        if (run !== null) await client.cancelRun(run.view.id);
      }),
    /** Retries a run with the currently selected model. */
    retry: (run: LiveRun, model: string) =>
      attempt(async () => add(await client.retryRun(run.view.id, model))),
    setSwitches: (switches: Switches) =>
      attempt(async () => {
        // A conversation that is still loading has its own switches.
        if (conversation() === null) await (making ?? opening);
        const open = conversation();
        if (open === null) setDraftSwitches(switches);
        else await saveSwitches(open, switches);
      }),
    ensureConversation,
    synchronize,
    note: (event: UserEvent) => void note(event),
    noteConversation: (found: ConversationView) => void noteConversation(found),
    noteChange,
    clearError: () => void setSendError(null),
  };
}

/** Returns the first line of a first message, as the title of its conversation. */
function titleFrom(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function contentOf({ text, files }: SendingMessage): unknown[] {
  const parts = files.map(({ id, name, isImage }) => ({
    type: isImage ? "input_image" : "input_file",
    file_id: id,
    filename: name,
  }));
  return [{ type: "input_text", text }, ...parts];
}

function newRun(
  id: string,
  conversation: string,
  options: SendOptions,
  previous: string | null,
): RunView {
  return {
    id,
    object: "run",
    conversation,
    previous,
    status: "queued",
    waiting: [],
    model: options.model,
    input: [{ type: "message", role: "user", content: contentOf(options) }],
    input_cut: false,
    created_at: Date.now(),
    ended_at: null,
    error: null,
    usage: null,
    stats: null,
    last_seq: 0,
  };
}
