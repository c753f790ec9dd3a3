import type { ConnectionView } from "@capstan/contract";
import { createSignal, onMount, Show } from "solid-js";
import { client } from "../api/client.ts";
import { Button } from "../shell/button.tsx";
import { ErrorNotice } from "../shell/error-text.tsx";
import { KeyedFor } from "../shell/keyed-for.tsx";
import { useApp } from "../state/app-state.ts";
import { createLoaded } from "../state/loaded.ts";
import { connectionsTexts as texts } from "../texts/connections.ts";
import { AddForm } from "./add-form.tsx";
import { ConnectionItem } from "./connection-item.tsx";
import "./connections.css";

/** The connections: add one, sign in, accept changed tools, switch off, remove. */
export function ConnectionsPanel() {
  const { catalog } = useApp();
  const connections = createLoaded<readonly ConnectionView[]>([], () => client.connections());
  const [isAdding, setAdding] = createSignal(false);
  const refresh = async () => {
    await Promise.all([connections.refresh(), catalog.groups.refresh()]);
  };
  onMount(() => void connections.refresh());
  return (
    <div class="connections stack">
      <p class="panel-text">{texts.about}</p>
      <ErrorNotice message={connections.error()} />
      <Show when={connections.isReady() && connections.value().length === 0}>
        <p class="empty" data-testid="no-connections">
          {texts.empty}
        </p>
      </Show>
      <KeyedFor each={connections.value()} by={({ name }) => name}>
        {(view) => <ConnectionItem view={view()} onChange={refresh} />}
      </KeyedFor>
      <Show
        when={isAdding()}
        fallback={
          <Button look="small" data-testid="add-connection" onClick={() => setAdding(true)}>
            {texts.add}
          </Button>
        }
      >
        <AddForm
          onAdded={async () => {
            setAdding(false);
            await refresh();
          }}
          onCancel={() => setAdding(false)}
        />
      </Show>
    </div>
  );
}
