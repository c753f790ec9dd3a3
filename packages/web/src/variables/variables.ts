import type { VariableUpdate, VariableView } from "@capstan/contract";
import { createEffect, createSignal, on } from "solid-js";
import { client } from "../api/client.ts";
import type { AppState } from "../state/app-state.ts";
import { createLoaded } from "../state/loaded.ts";
import { attempt, showToast } from "../state/toasts.ts";
import { readWholeVariable } from "./read-whole-variable.ts";

export interface VariableFilter {
  readonly search: string;
  readonly type: string;
  readonly tag: string;
}

export type Variables = ReturnType<typeof createVariables>;

export function createVariables(app: AppState) {
  const [filter, setFilter] = createSignal<VariableFilter>({ search: "", type: "", tag: "" });
  const conversation = () => app.chat.conversation()?.id ?? null;
  const list = createLoaded<readonly VariableView[]>([], async () => {
    const id = conversation();
    const entries = id === null ? [] : await client.variables(id, filter());
    const damaged = entries.find((entry) => entry.object === "damaged");
    if (damaged !== undefined) throw new Error(damaged.error.message);
    return entries.filter((entry) => entry.object === "variable");
  });
  createEffect(
    on([conversation, filter, app.chat.revision], ([id], before) => {
      // That another search found nothing says nothing of this one.
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

  /** Deletes one at once, and offers to make it again. */
  async function remove(variable: VariableView): Promise<void> {
    const id = conversation();
    if (id === null) return;
    const { name, tags, keep, desc } = variable;
    await attempt("Not deleted", async () => {
      // Read first: what cannot be read whole cannot be brought back, and the toast then says so.
      const text = await readWholeVariable(id, variable);
      await client.deleteVariable(id, name);
      app.chat.noteChange();
      if (text === null)
        return showToast({ text: `${name} is deleted. It was too large to bring back.` });
      const again = { text, tags, keep, ...(desc === undefined ? {} : { desc }) };
      const undo = () => void attempt("Not brought back", () => write(id, name, again));
      showToast({ text: `${name} is deleted.`, action: { label: "Undo", run: undo }, ms: 10_000 });
    });
  }

  return {
    list,
    filter,
    setFilter: (next: VariableFilter) => void setFilter(next),
    conversation,
    /** Counts what may have changed them. */
    revision: app.chat.revision,
    /** Makes one, in a conversation that is made for it where there is none. */
    create: async (name: string, body: VariableUpdate) =>
      write((await app.chat.ensureConversation()).id, name, body),
    change,
    remove,
  };
}
