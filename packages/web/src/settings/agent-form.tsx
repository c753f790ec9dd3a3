import type { AgentBody, AgentView } from "@capstan/contract";
import { createSignal, For, onMount, Show } from "solid-js";
import { client } from "../api/client.ts";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Field, Form, FormActions } from "../shell/form.tsx";
import { createAction } from "../state/action.ts";
import { useApp } from "../state/app-state.ts";
import { settingsTexts } from "../texts/settings.ts";
import { agentBody, agentNameOf } from "./agent-body.ts";

const texts = settingsTexts.agents;

/** Creates or changes an agent. Preserves fields that the form does not show. */
export function AgentForm(props: {
  readonly agent: AgentView | null;
  readonly onClose: () => void;
  readonly onSaved: () => Promise<void>;
}) {
  const { catalog } = useApp();
  const before = props.agent;
  const [title, setTitle] = createSignal(before?.title ?? "");
  const [model, setModel] = createSignal(before?.model ?? "");
  const [instructions, setInstructions] = createSignal(before?.instructions ?? "");
  const [temperature, setTemperature] = createSignal(before?.temperature?.toString() ?? "");
  const [groups, setGroups] = createSignal<readonly string[] | null>(
    before?.groups?.map(({ group }) => group) ?? null,
  );
  const action = createAction();
  let first!: HTMLInputElement;
  onMount(() => first.focus());
  const models = () => catalog.models.value().filter(({ id }) => id.includes("/"));

  const save = () =>
    action.run(async () => {
      const body: AgentBody = agentBody(before, {
        title: title(),
        model: model(),
        instructions: instructions(),
        temperature: temperature(),
        groups: groups(),
      });
      if (before !== null) await client.changeAgent(before.id, body);
      else await client.createAgent({ ...body, name: agentNameOf(title()) });
      await props.onSaved();
    });
  const setGroup = (name: string, on: boolean) =>
    setGroups((all) => {
      const rest = (all ?? []).filter((group) => group !== name);
      return on ? [...rest, name] : rest;
    });

  return (
    <Form data-testid="agent-form" onSubmit={() => void save()} onEscape={() => props.onClose()}>
      <h3 class="setting-title">{before === null ? texts.newTitle : texts.edit(before.title)}</h3>
      <Field
        id="agent-title"
        label={texts.title}
        ref={(element) => (first = element)}
        value={title()}
        maxlength="100"
        required
        onValue={setTitle}
      />
      <Field id="agent-model" as="select" label={texts.model} onValue={setModel}>
        <option value="" selected={model() === ""}>
          {texts.defaultModel}
        </option>
        <For each={models()}>
          {({ id, title: name }) => (
            <option value={id} selected={id === model()}>
              {name}
            </option>
          )}
        </For>
      </Field>
      <Field
        id="agent-instructions"
        as="textarea"
        label={texts.instructions}
        rows="6"
        value={instructions()}
        maxlength="100000"
        onValue={setInstructions}
      />
      <Field
        id="agent-temperature"
        label={texts.temperature}
        type="number"
        min="0"
        max="2"
        step="0.1"
        value={temperature()}
        onValue={setTemperature}
      />
      <fieldset class="choices agent-groups">
        <legend class="label">{texts.tools}</legend>
        <label class="check">
          <input
            type="checkbox"
            checked={groups() === null}
            data-testid="agent-all-groups"
            onChange={(event) => setGroups(event.currentTarget.checked ? null : [])}
          />
          {texts.allGroups}
        </label>
        <Show when={groups() !== null}>
          <For each={catalog.groups.value()}>
            {(group) => (
              <label class="check">
                <input
                  type="checkbox"
                  checked={groups()?.includes(group.name)}
                  data-testid="agent-group"
                  onChange={(event) => setGroup(group.name, event.currentTarget.checked)}
                />
                {group.title}
              </label>
            )}
          </For>
        </Show>
      </fieldset>
      <ErrorNotice message={action.error()} />
      <FormActions isBusy={action.isBusy()} testId="save-agent" onCancel={() => props.onClose()} />
    </Form>
  );
}
