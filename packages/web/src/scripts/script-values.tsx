import type { ScriptValueView } from "@capstan/contract";
import { createMemo, createSignal, Show } from "solid-js";
import { client } from "../api/client.ts";
import { Button } from "../shell/button.tsx";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Field, Form, FormActions } from "../shell/form.tsx";
import { Icon } from "../shell/icon.tsx";
import { KeyedFor } from "../shell/keyed-for.tsx";
import { createAction } from "../state/action.ts";
import type { Loaded } from "../state/loaded.ts";
import { scriptsTexts } from "../texts/scripts.ts";

const texts = scriptsTexts.values;

/**
 * Lets the user set, replace and remove the environment values for scripts. Never shows a value.
 */
export function ScriptValues(props: { readonly values: Loaded<readonly ScriptValueView[]> }) {
  /** The name whose value the form sets, or an empty string for a new name. */
  const [editing, setEditing] = createSignal<string | null>(null);
  const [removing, setRemoving] = createSignal<string | null>(null);
  const form = createMemo(() => {
    const name = editing();
    return name === null ? null : { name };
  });
  const action = createAction("value");
  const close = () => {
    setEditing(null);
    action.setError(null);
  };
  const save = (name: string, value: string) =>
    action.run(async () => {
      await client.setScriptValue(name, { value });
      await props.values.refresh();
      setEditing(null);
    });
  const remove = (name: string) =>
    action.run(async () => {
      await client.removeScriptValue(name);
      setRemoving(null);
      await props.values.refresh();
    });

  return (
    <section
      class="script-values"
      aria-labelledby="script-values-title"
      data-testid="script-values"
    >
      <div class="script-list-head spread">
        <h2 id="script-values-title">{texts.title}</h2>
        <Button
          look="small"
          aria-expanded={editing() !== null}
          data-testid="new-value"
          onClick={() => (editing() === null ? setEditing("") : close())}
        >
          <Icon name="add" size={15} /> {texts.new}
        </Button>
      </div>
      <p class="faint">{texts.about}</p>
      {/* An object, because a form with an empty name must be shown, too. */}
      <Show when={form()} keyed>
        {({ name }) => <ValueForm name={name} action={action} onSave={save} onCancel={close} />}
      </Show>
      <ErrorNotice message={props.values.error()} />
      <ErrorNotice message={editing() === null ? action.error() : null} />
      <ul>
        <KeyedFor each={props.values.value()} by={({ name }) => name}>
          {(value) => (
            <li class="script-value" data-testid="script-value" data-name={value().name}>
              <span class="script-name breaks">{value().name}</span>
              <span class={`script-face ${tones[value().source]}`}>
                {texts.sources[value().source]}
              </span>
              <span class="faint breaks">{texts.usedBy(value().scripts)}</span>
              <span class="script-value-buttons flow">
                <Show
                  when={removing() === value().name}
                  fallback={
                    <>
                      <Button
                        look="small"
                        aria-label={texts.setLabel(value().name)}
                        onClick={() => setEditing(value().name)}
                      >
                        {isStored(value()) ? texts.replace : texts.set}
                      </Button>
                      <Show when={isStored(value())}>
                        <Button
                          look="small danger"
                          aria-label={texts.removeLabel(value().name)}
                          onClick={() => setRemoving(value().name)}
                        >
                          {texts.remove}
                        </Button>
                      </Show>
                    </>
                  }
                >
                  <Button look="small quiet" onClick={() => setRemoving(null)}>
                    {texts.keep}
                  </Button>
                  <Button
                    look="small danger"
                    disabled={action.isBusy()}
                    data-testid="value-remove"
                    onClick={() => void remove(value().name)}
                  >
                    {texts.removeNow}
                  </Button>
                </Show>
              </span>
            </li>
          )}
        </KeyedFor>
      </ul>
    </section>
  );
}

const tones: { readonly [source in ScriptValueView["source"]]: string } = {
  stored: "good",
  unreadable: "bad",
  configuration: "good",
  server: "good",
  none: "some",
};

function isStored({ source }: ScriptValueView): boolean {
  return source === "stored" || source === "unreadable";
}

function ValueForm(props: {
  readonly name: string;
  readonly action: ReturnType<typeof createAction>;
  readonly onSave: (name: string, value: string) => unknown;
  readonly onCancel: () => void;
}) {
  // The parent recreates this form for each name.
  const isNew = props.name === "";
  const [name, setName] = createSignal(props.name);
  const [value, setValue] = createSignal("");
  const focus = (element: HTMLElement) => queueMicrotask(() => element.focus());
  return (
    <Form
      class="new-script"
      aria-label={isNew ? texts.form : texts.setLabel(props.name)}
      onSubmit={() => void props.onSave(name().trim(), value())}
      onEscape={props.onCancel}
    >
      <Show when={isNew} fallback={<p class="script-name breaks">{props.name}</p>}>
        <Field
          id="script-value-name"
          label={texts.name}
          look="code"
          ref={focus}
          placeholder="WEATHER_KEY"
          autocomplete="off"
          spellcheck={false}
          required
          value={name()}
          onValue={setName}
        />
      </Show>
      <Field
        id="script-value-text"
        label={texts.value}
        type="password"
        autocomplete="off"
        required
        {...(!isNew && { ref: focus })}
        error={props.action.error()}
        value={value()}
        onValue={(text) => {
          setValue(text);
          props.action.setError(null);
        }}
      />
      <FormActions isBusy={props.action.isBusy()} onCancel={props.onCancel} look="small" />
    </Form>
  );
}
