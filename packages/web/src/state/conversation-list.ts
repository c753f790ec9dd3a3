import type { ConversationView, DamagedView } from "@capstan/contract";
import { createSignal } from "solid-js";
import { client } from "../api/client.ts";
import { createLoaded } from "./loaded.ts";
import { attempt, showToast } from "./toasts.ts";
import { conversationsTexts } from "../texts/conversations.ts";

/** The number of conversations per request. */
const pageLength = 50;
/** Milliseconds in which a deleted conversation can be restored. */
const undoTime = 6000;

/** An entry of the list, also of a conversation whose stored row is damaged. */
export type ConversationEntry = ConversationView | DamagedView;

export function titleOf(entry: ConversationEntry): string {
  return entry.object === "damaged"
    ? conversationsTexts.damaged
    : entry.title || conversationsTexts.untitled;
}

export function createConversationList() {
  const [hasMore, setHasMore] = createSignal(false);
  const [leaving, setLeaving] = createSignal<ReadonlySet<string>>(new Set());
  const all = createLoaded<readonly ConversationEntry[]>([], async () => {
    const page = await client.conversations({ limit: pageLength });
    setHasMore(page.has_more);
    return page.data;
  });

  async function loadMore(): Promise<void> {
    const last = all.value().at(-1);
    if (last === undefined) return;
    const page = await client.conversations({ limit: pageLength, after: last.id });
    setHasMore(page.has_more);
    const known = new Set(all.value().map((entry) => entry.id));
    all.set((before) => [...before, ...page.data.filter((entry) => !known.has(entry.id))]);
  }

  async function rename(id: string, title: string): Promise<void> {
    const renamed = await client.updateConversation(id, { title });
    all.set((before) => before.map((entry) => (entry.id === id ? renamed : entry)));
  }

  function keep(id: string): void {
    setLeaving((before) => new Set([...before].filter((entry) => entry !== id)));
  }

  /** Hides it, and deletes it when its time to undo is over. */
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
  return { all, shown, hasMore, loadMore, rename, remove };
}
