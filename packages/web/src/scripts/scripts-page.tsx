import type { ScriptView } from "@capstan/contract";
import { createEffect, createSignal, on, onCleanup, onMount, Show } from "solid-js";
import { client, isGone, retryUntilGone } from "../api/client.ts";
import { apiKeyRevision } from "../api/api-key.ts";
import { useApp } from "../state/app-state.ts";
import { routedScript } from "../state/route.ts";
import { createLoaded } from "../state/loaded.ts";
import { ScriptFile } from "./script-file.tsx";
import { ScriptList } from "./script-list.tsx";
import "./scripts.css";

/** Files of tools: what they give, what is wrong with them, what they may; and an editor for them. */
export function ScriptsPage() {
  const { catalog } = useApp();
  const scripts = createLoaded<readonly ScriptView[]>([], () => client.scripts());
  const [revision, setRevision] = createSignal(0);
  const stop = new AbortController();
  const changed = () => {
    setRevision((count) => count + 1);
    void scripts.refresh();
    // What the chat may be offered is what these files give.
    void catalog.groups.refresh();
  };
  /** Ends where the user may not see script files. */
  const follow = async () => {
    const { signal } = stop;
    try {
      for await (const _change of client.followScripts({ signal, retry: retryUntilGone(signal) }))
        changed();
    } catch (error) {
      if (!signal.aborted && !isGone(error)) throw error;
    }
  };
  onMount(() => void follow());
  onCleanup(() => stop.abort());
  createEffect(on(apiKeyRevision, changed));
  createEffect(() => {
    const open = scripts.value().find(({ id }) => id === routedScript());
    document.title = `${open === undefined ? "" : `${open.name} · `}Scripts · Capstan`;
  });

  return (
    <main
      class="scripts"
      classList={{ "with-file": routedScript() !== null }}
      aria-label="Scripts"
      data-testid="scripts"
    >
      <ScriptList scripts={scripts} />
      <Show
        when={routedScript()}
        keyed
        fallback={
          <p class="scripts-none">
            A Python or PowerShell file in the folder gives the model tools. Choose one, or begin a
            new one; what changes in the folder is shown here by itself.
          </p>
        }
      >
        {(id) => (
          <ScriptFile id={id} revision={revision()} onChanged={() => void scripts.refresh()} />
        )}
      </Show>
    </main>
  );
}
