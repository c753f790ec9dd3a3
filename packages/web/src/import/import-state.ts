import { createSignal } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { createPreference } from "../state/preferences.ts";
import { importTexts } from "../texts/import.ts";
import { importChats, undoImport } from "./import-chats.ts";
import { openFile } from "./open-file.ts";
import { readExport } from "./read-export.ts";
import { shellTexts } from "../texts/shell.ts";

/** The state of an import. `done` and `unfinished` imports can be undone. */
export type ImportState =
  | { readonly type: "none" }
  | { readonly type: "reading" }
  | { readonly type: "running"; readonly done: number; readonly all: number }
  | { readonly type: "done"; readonly message: string }
  | { readonly type: "unfinished" }
  | { readonly type: "undoing" }
  | { readonly type: "undone"; readonly message: string }
  | { readonly type: "failed"; readonly message: string };

const none: ImportState = { type: "none" };

/**
 * Creates the state of imports. An import continues while the page is open; one that the page did not
 * finish can be undone later.
 */
export function createImports() {
  /** The id of the last import that can be undone. */
  const [last, setLast] = createPreference("import");
  const [state, setState] = createSignal<ImportState>(
    last() === null ? none : { type: "unfinished" },
  );
  let stop = new AbortController();

  async function start(file: File): Promise<void> {
    stop = new AbortController();
    const { signal } = stop;
    const id = crypto.getRandomValues(new Uint32Array(3)).join("-");
    try {
      setState({ type: "reading" });
      const { source, chats, skipped } = readExport(await openFile(file));
      setLast(id);
      setState({ type: "running", done: 0, all: chats.length });
      const onProgress = (done: number) => setState({ type: "running", done, all: chats.length });
      await importChats(client, { id, source, chats, signal, onProgress });
      setState({ type: "done", message: importTexts.done(chats.length, source, skipped) });
    } catch (thrown) {
      setLast(null);
      const message = signal.aborted ? importTexts.stopped : importTexts.failed(messageOf(thrown));
      setState({ type: "failed", message });
    }
  }

  async function undo(): Promise<void> {
    const id = last();
    if (id === null) return;
    setState({ type: "undoing" });
    try {
      const count = await undoImport(client, id);
      setLast(null);
      setState({ type: "undone", message: importTexts.undone(count) });
    } catch (thrown) {
      setState({
        type: "failed",
        message: shellTexts.failure(importTexts.notUndone, messageOf(thrown)),
      });
    }
  }

  return {
    state,
    start,
    stop: () => stop.abort(),
    undo,
    canUndo: () => last() !== null && ["done", "unfinished", "failed"].includes(state().type),
  };
}
