import type { ScriptValueView, ScriptView } from "@capstan/contract";
import { visibleText } from "@capstan/core/text";
import { createEffect, createSignal, on, onCleanup, onMount, Show } from "solid-js";
import { client, isGone, retryUntilGone } from "../api/client.ts";
import { apiKeyRevision } from "../api/api-key.ts";
import { useApp } from "../state/app-state.ts";
import { routedScript } from "../state/route.ts";
import { createLoaded } from "../state/loaded.ts";
import { ScriptFile } from "./script-file.tsx";
import { ScriptList } from "./script-list.tsx";
import { scriptsTexts } from "../texts/scripts.ts";
import { shellTexts } from "../texts/shell.ts";
import "./scripts.css";

/** The scripts page: files of tools with their problems and permissions, and an editor. */
export function ScriptsPage() {
  const { catalog } = useApp();
  const scripts = createLoaded<readonly ScriptView[]>([], () => client.scripts());
  const values = createLoaded<readonly ScriptValueView[]>([], () => client.scriptValues());
  const [revision, setRevision] = createSignal(0);
  const stop = new AbortController();
  const changed = () => {
    setRevision((count) => count + 1);
    void scripts.refresh();
    void values.refresh();
    // The files provide tools to the chat.
    void catalog.groups.refresh();
  };
  /** Follows changes; ends if the user may not see script files. */
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
    document.title = `${open === undefined ? "" : `${visibleText(open.name)} · `}${scriptsTexts.title} · ${shellTexts.product}`;
  });

  return (
    <main
      class="scripts"
      classList={{ "with-file": routedScript() !== null }}
      aria-label={scriptsTexts.title}
      data-testid="scripts"
    >
      <ScriptList scripts={scripts} values={values} />
      <Show when={routedScript()} keyed fallback={<p class="scripts-none">{scriptsTexts.about}</p>}>
        {(id) => (
          <ScriptFile id={id} revision={revision()} onChanged={() => void scripts.refresh()} />
        )}
      </Show>
    </main>
  );
}
