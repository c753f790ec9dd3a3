import type { VariableValueView } from "@capstan/contract";
import { createSignal } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";

/** Characters of one page of a text; more pages are loaded on request. */
const pageLength = 20_000;

/** Creates the state of a variable's text, which is loaded in pages. */
export function createVariableText(conversation: () => string | null, name: string) {
  const [info, setInfo] = createSignal<VariableValueView | null>(null);
  const [pages, setPages] = createSignal<readonly string[]>([]);
  const [error, setError] = createSignal<string | null>(null);
  const [isLoading, setLoading] = createSignal(false);
  const read = () => pages().reduce((sum, page) => sum + page.length, 0);
  let newest = 0;

  async function load(start: number, before: readonly string[]): Promise<void> {
    const id = conversation();
    if (id === null) return;
    const turn = ++newest;
    setLoading(true);
    try {
      const page = await client.variable(id, name, { start, length: pageLength });
      if (turn !== newest) return;
      setInfo(page);
      setPages([...before, page.text]);
      setError(null);
    } catch (failure) {
      if (turn === newest) setError(messageOf(failure));
    } finally {
      if (turn === newest) setLoading(false);
    }
  }

  return {
    info,
    pages,
    read,
    error,
    isLoading,
    /** Loads the text from the beginning, as far as it was loaded before. */
    reload: () => load(0, []),
    more: () => load(read(), pages()),
  };
}
