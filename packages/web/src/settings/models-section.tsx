import type { ProviderView } from "@capstan/contract";
import { createSignal, For, onMount, Show } from "solid-js";
import { client } from "../api/client.ts";
import { Button } from "../shell/button.tsx";
import { ErrorNotice, FieldError } from "../shell/error-text.tsx";
import { Field, Form, FormActions } from "../shell/form.tsx";
import { createAction } from "../state/action.ts";
import { useApp } from "../state/app-state.ts";
import { createLoaded } from "../state/loaded.ts";
import { settingsTexts } from "../texts/settings.ts";

const texts = settingsTexts.models;

/** The providers of models and their keys. */
export function ModelsSection() {
  const app = useApp();
  const maySet = () => app.catalog.info.value()?.providers === true;
  const providers = createLoaded<readonly ProviderView[]>([], () => client.providers());
  onMount(() => {
    if (maySet()) void providers.refresh();
  });
  const onChanged = (changed: ProviderView) => {
    providers.set((all) => all.map((each) => (each.id === changed.id ? changed : each)));
    void app.catalog.refresh();
  };

  return (
    <>
      <p class="panel-text">{texts.about}</p>
      <Show when={app.catalog.model()}>
        {(model) => (
          <p class="notice" data-testid="current-model">
            <span class="grow">
              {texts.current} <strong>{model().title}</strong>
            </span>
            <span class="faint">{model().reason}</span>
          </p>
        )}
      </Show>
      <Show
        when={maySet()}
        fallback={
          <p class="empty" data-testid="providers-closed">
            {texts.closed.before} <code>capstan pair</code> {texts.closed.after}
          </p>
        }
      >
        <ErrorNotice message={providers.error()} />
        <ul class="providers">
          <For each={providers.value()}>
            {(provider) => <ProviderItem provider={provider} onChanged={onChanged} />}
          </For>
        </ul>
      </Show>
    </>
  );
}

interface ProviderItemProps {
  readonly provider: ProviderView;
  readonly onChanged: (provider: ProviderView) => void;
}

function ProviderItem(props: ProviderItemProps) {
  const [isOpen, setOpen] = createSignal(false);
  const removal = createAction("id");
  const isStored = () => ["stored", "unreadable"].includes(props.provider.source);
  const remove = () =>
    removal.run(async () => props.onChanged(await client.removeProvider(props.provider.id)));

  return (
    <li class="provider" data-testid="provider" data-provider={props.provider.id}>
      <div class="row provider-head">
        <span class="grow">
          <span class="setting-title">{props.provider.title}</span>
          <span class="setting-about breaks">{aboutOf(props.provider)}</span>
        </span>
        <span class={`tag ${toneOf(props.provider)}`}>{sourceOf(props.provider)}</span>
        <Show when={!isOpen()}>
          <Button look="small" data-testid="edit-provider" onClick={() => setOpen(true)}>
            {isStored() ? texts.replace : texts.add}
          </Button>
        </Show>
        <Show when={isStored() && !isOpen()}>
          <Button
            look="small danger"
            disabled={removal.isBusy()}
            data-testid="remove-provider"
            onClick={() => void remove()}
          >
            {texts.remove}
          </Button>
        </Show>
      </div>
      <FieldError id={`provider-${props.provider.id}-error`} message={removal.error()} />
      <Show when={isOpen()}>
        <ProviderForm
          provider={props.provider}
          onClose={() => setOpen(false)}
          onSaved={(saved) => {
            props.onChanged(saved);
            setOpen(false);
          }}
        />
      </Show>
    </li>
  );
}

/** Sets the key of a provider. The stored key is never shown. */
function ProviderForm(props: {
  readonly provider: ProviderView;
  readonly onClose: () => void;
  readonly onSaved: (provider: ProviderView) => void;
}) {
  const { id } = props.provider;
  const isCustom = id === "custom";
  const [key, setKey] = createSignal("");
  const [url, setUrl] = createSignal(props.provider.url ?? "");
  const [model, setModel] = createSignal(props.provider.model ?? "");
  const action = createAction();
  let first!: HTMLInputElement;
  onMount(() => first.focus());
  const save = () =>
    action.run(async () =>
      props.onSaved(
        await client.saveProvider(id, {
          ...(key() !== "" && { key: key() }),
          ...(isCustom && { url: url(), ...(model() !== "" && { model: model() }) }),
        }),
      ),
    );

  return (
    <Form class="provider-form" onSubmit={() => void save()} onEscape={() => props.onClose()}>
      <Show when={isCustom}>
        <Field
          id="provider-url"
          label={texts.url}
          ref={(element) => (first = element)}
          value={url()}
          placeholder="http://127.0.0.1:1234/v1"
          autocomplete="off"
          required
          onValue={setUrl}
        />
      </Show>
      <Field
        id={`provider-key-${id}`}
        label={isCustom ? texts.optionalKey : texts.key(props.provider.title)}
        ref={(element) => {
          if (!isCustom) first = element;
        }}
        type="password"
        autocomplete="off"
        spellcheck={false}
        data-testid="provider-key"
        required={!isCustom}
        error={action.error()}
        onValue={setKey}
      />
      <Show when={isCustom}>
        <Field
          id="provider-model"
          label={texts.defaultModel}
          value={model()}
          autocomplete="off"
          onValue={setModel}
        />
      </Show>
      <p class="faint provider-note">{action.isBusy() ? texts.trying : texts.storage}</p>
      <FormActions
        isBusy={action.isBusy()}
        look="small"
        word={texts.save}
        testId="save-provider"
        onCancel={() => props.onClose()}
      />
    </Form>
  );
}

function aboutOf({ id, source, variable, url, model }: ProviderView): string {
  if (source === "unreadable") return texts.unreadable;
  if (source === "none") return id === "custom" ? texts.aboutCustom : texts.none;
  const place = url === null ? "" : model === null ? url : `${url}, ${model}`;
  if (source === "environment") return texts.environment(variable, place);
  return place === "" ? texts.stored : place;
}

function sourceOf({ source, has_key: hasKey }: ProviderView): string {
  return source === "stored" && !hasKey ? texts.storedWithoutKey : texts.sources[source];
}

function toneOf({ source }: ProviderView): string {
  if (source === "unreadable") return "bad";
  return source === "none" ? "" : "good";
}
