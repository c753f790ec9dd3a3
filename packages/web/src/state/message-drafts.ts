import { createSignal } from "solid-js";

const storageKey = "capstan.drafts";
/** The maximum number of stored drafts. The oldest ones are deleted first. */
const maxDrafts = 50;
/**
 * The maximum length of a stored draft, in UTF-16 code units. Longer ones are lost when the page is
 * closed.
 */
const longestStored = 100_000;

type Drafts = ReadonlyMap<string, string>;

/**
 * Creates the state of the unsent messages of all chats, which survives reloads.
 *
 * @param chat returns the id of the open conversation, or null in a new chat
 */
export function createMessageDrafts(chat: () => string | null) {
  const [drafts, setDrafts] = createSignal<Drafts>(read());
  const keyOf = (id: string | null) => id ?? "new";

  function set(text: string, id = chat()): void {
    const next = new Map(drafts());
    next.delete(keyOf(id));
    if (text !== "") next.set(keyOf(id), text);
    const kept = new Map([...next].slice(-maxDrafts));
    setDrafts(kept);
    write(kept);
  }

  return { draft: () => drafts().get(keyOf(chat())) ?? "", setDraft: set };
}

function read(): Drafts {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    if (!Array.isArray(stored)) return new Map();
    return new Map(stored.filter(isDraft));
  } catch {
    return new Map();
  }
}

function isDraft(entry: unknown): entry is readonly [string, string] {
  return (
    Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === "string")
  );
}

function write(drafts: Drafts): void {
  const stored = [...drafts].filter(([, text]) => text.length <= longestStored);
  try {
    if (stored.length === 0) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, JSON.stringify(stored));
  } catch {
    // If the storage is full, it keeps the drafts of the last write.
  }
}
