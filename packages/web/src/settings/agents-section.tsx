import type { AgentView } from "@capstan/contract";
import { createSignal, For, Show } from "solid-js";
import { client } from "../api/client.ts";
import { Button, IconButton } from "../shell/button.tsx";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Icon } from "../shell/icon.tsx";
import { attempt } from "../state/toasts.ts";
import { useApp } from "../state/app-state.ts";
import { settingsTexts } from "../texts/settings.ts";
import { AgentForm } from "./agent-form.tsx";

const texts = settingsTexts.agents;

/** The agents: presets of model, instructions and tools that a chat can choose as its model. */
export function AgentsSection() {
  const { catalog } = useApp();
  /** The agent that is edited; null for a new one. */
  const [edited, setEdited] = createSignal<AgentView | null>();
  const reload = () => Promise.all([catalog.agents.refresh(), catalog.models.refresh()]);
  const remove = (name: string) =>
    attempt(texts.notDeleted, async () => {
      await client.deleteAgent(name);
      await reload();
    });

  return (
    <Show
      when={edited() === undefined}
      fallback={
        <AgentForm
          agent={edited() ?? null}
          onClose={() => setEdited(undefined)}
          onSaved={async () => {
            await reload();
            setEdited(undefined);
          }}
        />
      }
    >
      <div class="spread usage-head">
        <p class="panel-text">{texts.about}</p>
        <Button look="small" data-testid="new-agent" onClick={() => setEdited(null)}>
          <Icon name="add" size={15} /> {texts.add}
        </Button>
      </div>
      <ErrorNotice message={catalog.agents.error()} />
      <ul>
        <For each={catalog.agents.value()}>
          {(agent) => (
            <li class="provider row" data-testid="agent" data-agent={agent.id}>
              <span class="grow">
                <span class="setting-title breaks">{agent.title}</span>
                <span class="setting-about breaks">{aboutOf(agent)}</span>
              </span>
              <Show
                when={agent.source === "user"}
                fallback={<span class="tag">{texts.configured}</span>}
              >
                <IconButton
                  icon="edit"
                  label={texts.edit(agent.title)}
                  data-testid="edit-agent"
                  onClick={() => setEdited(agent)}
                />
                <IconButton
                  icon="trash"
                  label={texts.remove(agent.title)}
                  data-testid="delete-agent"
                  onClick={() => void remove(agent.id)}
                />
              </Show>
            </li>
          )}
        </For>
      </ul>
      <Show when={catalog.agents.isReady() && catalog.agents.value().length === 0}>
        <p class="empty">{texts.empty}</p>
      </Show>
    </Show>
  );
}

function aboutOf({ model, groups, instructions, overridden }: AgentView): string {
  if (overridden === true) return texts.overridden;
  const parts = [
    model ?? texts.defaultModel,
    groups === undefined ? texts.groupsOfChat : texts.groups(groups.length),
  ];
  const first = instructions?.split("\n", 1)[0] ?? "";
  return [...parts, ...(first === "" ? [] : [first.slice(0, 120)])].join(" · ");
}
