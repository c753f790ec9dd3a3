import { For, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { settingsTexts } from "../texts/settings.ts";

/** Selects the model of the next turn; the browser stores the choice. */
export function ModelSelect() {
  const { catalog } = useApp();
  return (
    <span class="model-select">
      <label class="visually-hidden" for="model">
        {settingsTexts.model}
      </label>
      <select
        id="model"
        class="select quiet"
        title={catalog.model()?.reason ?? ""}
        data-testid="model-select"
        onChange={(event) => catalog.chooseModel(event.currentTarget.value)}
      >
        <For each={catalog.models.value()}>
          {(model) => (
            <option
              value={model.id}
              selected={model.id === catalog.model()?.id}
              title={model.reason}
            >
              {model.title}
              {model.default ? defaultMark(model.reason) : ""}
            </option>
          )}
        </For>
      </select>
      <Show when={catalog.models.error()}>
        {(message) => (
          <span class="danger" role="alert">
            {message()}
          </span>
        )}
      </Show>
    </span>
  );
}

/** A long reason appears only in the tooltip, because it would make the list as wide as the page. */
function defaultMark(reason: string): string {
  return settingsTexts.defaultModel(reason.length > 40 ? undefined : reason);
}
