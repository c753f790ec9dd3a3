import type { ConversationMatch } from "@capstan/contract";
import { createSignal, onCleanup } from "solid-js";
import { isAbort, messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";

/** The state of a search in the chats. */
export type SearchState =
  | { readonly type: "empty" }
  | { readonly type: "loading" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "found"; readonly isComplete: boolean };

/** Time between the last key and the start of the search, in milliseconds. */
const pauseMs = 120;
/** Time until an incomplete search is repeated, in milliseconds. */
const repeatMs = 1_000;

/** Creates a search in the titles and messages of all chats. */
export function createConversationSearch() {
  const [query, setQuery] = createSignal("");
  const [state, setState] = createSignal<SearchState>({ type: "empty" });
  const [matches, setMatches] = createSignal<readonly ConversationMatch[]>([]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request = new AbortController();

  const stop = () => {
    clearTimeout(timer);
    request.abort();
    request = new AbortController();
  };

  async function load(text: string): Promise<void> {
    const { signal } = request;
    try {
      const { data, is_complete: isComplete } = await client.searchConversations(text, signal);
      if (signal.aborted) return;
      setMatches(data);
      setState({ type: "found", isComplete });
      if (!isComplete) timer = setTimeout(() => void load(text), repeatMs);
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      setMatches([]);
      setState({ type: "failed", message: messageOf(error) });
    }
  }

  /** Searches while the user types; the former results stay until the new ones arrive. */
  function search(text: string): void {
    stop();
    setQuery(text);
    if (text.trim() === "") {
      setMatches([]);
      setState({ type: "empty" });
      return;
    }
    if (matches().length === 0) setState({ type: "loading" });
    timer = setTimeout(() => void load(text), pauseMs);
  }

  onCleanup(stop);
  return { query, state, matches, search };
}
