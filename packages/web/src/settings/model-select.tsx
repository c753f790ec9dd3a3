import { For, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";

/** Chooses the model of the next turn; the choice is kept in this browser. */
export function ModelSelect() {
  const { catalog } = useApp();
  return (
    <span class="model-select">
      <label class="visually-hidden" for="model">
        Model
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

/** A long reason is in the tip of the field; a list as wide as the page helps nobody. */
function defaultMark(reason: string): string {
  return reason.length > 40 ? " (default)" : ` (default: ${reason})`;
}
