import type {
  ConversationState,
  ConversationView,
  CorruptView,
  UserEvent,
} from "@capstan/contract";
import { createSignal } from "solid-js";
import { hasStatus } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { createLoaded } from "./loaded.ts";
import { attempt, showToast } from "./toasts.ts";
import { conversationsTexts } from "../texts/conversations.ts";

/** The number of conversations per request. */
const pageLength = 50;
/** The maximum number of pinned conversations, and of archived ones. */
const mostInState = 100;
const noPage = { data: [] } as const;
/** Milliseconds in which a deleted conversation can be restored. */
const undoTime = 6000;

/** The delay in milliseconds that collects the events of one change. */
const eventDelay = 50;
/** If more conversations than this changed, the list is loaded again. */
const mostReads = 5;

/** An entry of the list: a conversation, or a corrupt row in place of one. */
export type ConversationEntry = ConversationView | CorruptView;

/** Returns the state of an entry, which selects its list. Corrupt ones are `open`. */
export function stateOf(entry: ConversationEntry): ConversationState {
  return entry.object === "corrupt" ? "open" : entry.state;
}

export function titleOf(entry: ConversationEntry): string {
  return entry.object === "corrupt"
    ? conversationsTexts.damaged
    : entry.title || conversationsTexts.untitled;
}

/** @param onRead called with each conversation that is read again after a change */
export function createConversationList(onRead: (conversation: ConversationView) => void) {
  const [hasMore, setHasMore] = createSignal(false);
  const [leaving, setLeaving] = createSignal<ReadonlySet<string>>(new Set());
  /** Whether archived conversations are shown, too. */
  const [isArchiveShown, setArchiveShown] = createSignal(false);
  const all = createLoaded<readonly ConversationEntry[]>([], async () => {
    const [open, pinned, archived] = await Promise.all([
      client.conversations({ limit: pageLength, state: "open" }),
      client.conversations({ limit: mostInState, state: "pinned" }),
      isArchiveShown() ? client.conversations({ limit: mostInState, state: "archived" }) : noPage,
    ]);
    setHasMore(open.has_more);
    return [...pinned.data, ...open.data, ...archived.data];
  });

  async function loadMore(): Promise<void> {
    const last = all.value().findLast((entry) => stateOf(entry) === "open");
    if (last === undefined) return;
    const page = await client.conversations({ limit: pageLength, state: "open", after: last.id });
    setHasMore(page.has_more);
    const known = new Set(all.value().map((entry) => entry.id));
    all.set((before) => [...before, ...page.data.filter((entry) => !known.has(entry.id))]);
  }

  const changed = new Set<string>();
  let soon: ReturnType<typeof setTimeout> | undefined;

  /** Applies a change by this or another client. Several events of one change cause one request. */
  function note(event: UserEvent): void {
    if (event.type === "resync") return void all.refresh();
    if (!("conversation" in event) || event.conversation === null) return;
    const { type, conversation } = event;
    if (type === "conversation.deleted")
      return all.set((before) => before.filter(({ id }) => id !== conversation));
    noteChanged(conversation);
  }

  function noteChanged(conversation: string): void {
    changed.add(conversation);
    soon ??= setTimeout(() => {
      soon = undefined;
      const ids = [...changed];
      changed.clear();
      if (ids.length > mostReads) void all.refresh();
      else for (const id of ids) void reread(id);
    }, eventDelay);
  }

  /** Reads one conversation again, so that older pages of the list stay loaded. */
  async function reread(id: string): Promise<void> {
    try {
      const read = await client.conversation(id);
      all.set((before) => withConversation(before, read));
      onRead(read);
    } catch (error) {
      if (hasStatus(error, 404)) all.set((before) => before.filter((entry) => entry.id !== id));
      // After a failure, the list is loaded again when the server can be reached.
    }
  }

  async function move(id: string, state: ConversationState): Promise<void> {
    const moved = await client.updateConversation(id, { state });
    all.set((before) => withConversation(before, moved));
  }

  function showArchive(isShown: boolean): void {
    setArchiveShown(isShown);
    void all.refresh();
  }

  async function rename(id: string, title: string): Promise<void> {
    const renamed = await client.updateConversation(id, { title });
    all.set((before) => before.map((entry) => (entry.id === id ? renamed : entry)));
  }

  function keep(id: string): void {
    setLeaving((before) => new Set([...before].filter((entry) => entry !== id)));
  }

  /** Hides a conversation, and deletes it when the time for undo is over. */
  function remove(conversation: ConversationEntry): void {
    const { id } = conversation;
    setLeaving((before) => new Set(before).add(id));
    let isFinished = false;
    const finish = async (keepalive: boolean) => {
      // The browser may restore the page after it was left, with the toast still open.
      if (isFinished) return;
      isFinished = true;
      stop();
      await attempt(conversationsTexts.notDeleted, async () => {
        await client.deleteConversation(id, { keepalive });
        all.set((before) => before.filter((entry) => entry.id !== id));
      });
      keep(id);
    };
    const onLeave = () => void finish(true);
    const stop = () => removeEventListener("pagehide", onLeave);
    addEventListener("pagehide", onLeave);
    showToast({
      text: conversationsTexts.deleted(titleOf(conversation)),
      ms: undoTime,
      onGone: () => void finish(false),
      action: {
        label: conversationsTexts.undo,
        run() {
          stop();
          keep(id);
        },
      },
    });
  }

  /** Excludes conversations that are about to be deleted. */
  const shown = () => all.value().filter((entry) => !leaving().has(entry.id));
  return {
    all,
    shown,
    hasMore,
    isArchiveShown,
    showArchive,
    loadMore,
    rename,
    move,
    remove,
    note,
    noteChanged,
  };
}

/** Puts a conversation into the list, before the older ones in the same state. */
function withConversation(
  list: readonly ConversationEntry[],
  conversation: ConversationView,
): readonly ConversationEntry[] {
  const others = list.filter(({ id }) => id !== conversation.id);
  const place = others.findIndex(
    (entry) =>
      entry.object === "conversation" &&
      entry.state === conversation.state &&
      entry.updated_at < conversation.updated_at,
  );
  return others.toSpliced(place < 0 ? others.length : place, 0, conversation);
}
