import type { CorruptView, VariableUpdate, VariableView } from "@capstan/contract";
import { createEffect, createSignal, on } from "solid-js";
import { client } from "../api/client.ts";
import type { AppState } from "../state/app-state.ts";
import { createLoaded } from "../state/loaded.ts";
import { attempt, showToast } from "../state/toasts.ts";
import { readWholeVariable } from "./read-whole-variable.ts";
import { variablesTexts } from "../texts/variables.ts";

export interface VariableFilter {
  readonly search: string;
  readonly type: string;
  readonly tag: string;
}

export type Variables = ReturnType<typeof createVariables>;

export function createVariables(app: AppState) {
  const [filter, setFilter] = createSignal<VariableFilter>({ search: "", type: "", tag: "" });
  const conversation = app.chat.conversationId;
  const [unreadable, setUnreadable] = createSignal<readonly CorruptView[]>([]);
  const list = createLoaded<readonly VariableView[]>([], async () => {
    const id = conversation();
    const entries = id === null ? [] : await client.variables(id, filter());
    const damaged = entries.filter((entry) => entry.object === "corrupt");
    const all = damaged.find((entry) => entry.id === id);
    if (all !== undefined) throw new Error(all.error.message);
    setUnreadable(damaged);
    return entries.filter((entry) => entry.object === "variable");
  });
  createEffect(
    on([conversation, filter, app.chat.revision], ([id], before) => {
      // An empty result of an earlier search does not apply to this one.
      const isOther = before !== undefined && before[0] !== id;
      if (isOther || list.value().length === 0) list.clear();
      void list.refresh();
    }),
  );

  async function write(id: string, name: string, body: VariableUpdate): Promise<void> {
    await client.writeVariable(id, name, body);
    app.chat.noteChange();
  }

  async function change(name: string, body: VariableUpdate): Promise<void> {
    const id = conversation();
    if (id !== null) await write(id, name, body);
  }

  /** Deletes a variable at once, and offers to restore it. */
  async function remove(variable: VariableView): Promise<void> {
    const id = conversation();
    if (id === null) return;
    const { name, tags, keep, desc } = variable;
    await attempt(variablesTexts.notDeleted, async () => {
      // Read it first: a value that is too large to read cannot be restored, and the toast says so.
      const text = await readWholeVariable(id, variable);
      await client.deleteVariable(id, name);
      app.chat.noteChange();
      if (text === null) return showToast({ text: variablesTexts.deletedForGood(name) });
      const again = { text, tags, keep, ...(desc === undefined ? {} : { desc }) };
      const undo = () => void attempt(variablesTexts.notRestored, () => write(id, name, again));
      showToast({
        text: variablesTexts.deleted(name),
        action: { label: variablesTexts.undo, run: undo },
        ms: 10_000,
      });
    });
  }

  return {
    list,
    /** The variables whose stored values are corrupt. */
    unreadable,
    filter,
    setFilter: (next: VariableFilter) => void setFilter(next),
    conversation,
    /** Counts the changes that may affect the variables. */
    revision: app.chat.revision,
    /** Creates a variable; creates a conversation first if there is none. */
    create: async (name: string, body: VariableUpdate) =>
      write((await app.chat.ensureConversation()).id, name, body),
    change,
    remove,
  };
}
