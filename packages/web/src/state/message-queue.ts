import { createSignal } from "solid-js";

const storageKey = "capstan.queue";
/** The maximum number of queued messages in all chats. */
const maxQueued = 50;
/** The maximum length of a queued message, in UTF-16 code units. */
const longestQueued = 100_000;

/** A message that is sent when the current turn of its chat ends. */
export interface QueuedMessage {
  readonly id: string;
  readonly conversation: string;
  readonly text: string;
}

/**
 * Creates the queue of messages that are sent when a turn ends. It survives reloads, and all tabs
 * share it.
 *
 * @param chat returns the id of the open conversation, or null in a new chat
 */
export function createMessageQueue(chat: () => string | null) {
  const [all, setAll] = createSignal<readonly QueuedMessage[]>(read());
  addEventListener("storage", ({ key }) => {
    if (key === storageKey || key === null) setAll(read());
  });

  /** Changes the stored queue, which another tab may have changed. */
  function change(next: (queue: readonly QueuedMessage[]) => readonly QueuedMessage[]): void {
    const changed = next(read());
    setAll(changed);
    write(changed);
  }

  /** Returns whether the message was added: the queue can be full. */
  function add(text: string): boolean {
    const conversation = chat();
    if (conversation === null || text.length > longestQueued) return false;
    if (read().length >= maxQueued) return false;
    const message = {
      id: crypto.getRandomValues(new Uint32Array(2)).join("-"),
      conversation,
      text,
    };
    change((queue) => [...queue, message]);
    return true;
  }

  const remove = (id: string) => change((queue) => queue.filter((message) => message.id !== id));

  /**
   * Removes a message from the queue and sends it; a message that was not sent is put back. A lock
   * ensures that only one tab sends it.
   */
  async function sendOne(
    message: QueuedMessage,
    send: (text: string) => Promise<boolean>,
  ): Promise<void> {
    const work = async () => {
      if (!read().some(({ id }) => id === message.id)) return;
      remove(message.id);
      if (!(await send(message.text))) change((queue) => [message, ...queue]);
    };
    if ("locks" in navigator) await navigator.locks.request(storageKey, work);
    else await work();
  }

  return {
    /** The messages of the open chat, oldest first. */
    list: () => all().filter(({ conversation }) => conversation === chat()),
    add,
    remove,
    sendOne,
  };
}

function read(): readonly QueuedMessage[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isQueued) : [];
  } catch {
    return [];
  }
}

function isQueued(entry: unknown): entry is QueuedMessage {
  if (typeof entry !== "object" || entry === null) return false;
  return ["id", "conversation", "text"].every(
    (name) => typeof (entry as { readonly [name: string]: unknown })[name] === "string",
  );
}

function write(queue: readonly QueuedMessage[]): void {
  try {
    if (queue.length === 0) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, JSON.stringify(queue));
  } catch {
    // If the storage is full, it keeps the previous queue. This tab uses the new one until it is
    // closed.
  }
}
