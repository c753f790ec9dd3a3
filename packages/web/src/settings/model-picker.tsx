import type { ModelView } from "@capstan/contract";
import { createSignal, createUniqueId, For, Show } from "solid-js";
import { Icon } from "../shell/icon.tsx";
import { IconButton } from "../shell/button.tsx";
import { placePopover } from "../shell/overlays/place-popover.ts";
import { useApp } from "../state/app-state.ts";
import { settingsTexts } from "../texts/settings.ts";
import { listedModels } from "./listed-models.ts";
import "../shell/overlays/menu.css";
import "./model-picker.css";

const texts = settingsTexts.picker;

/** Chooses the model of the open chat: a list with a search and favorites. */
export function ModelPicker() {
  const { catalog, preferences } = useApp();
  const id = createUniqueId();
  const [isOpen, setOpen] = createSignal(false);
  const [query, setQuery] = createSignal("");
  let popover!: HTMLDivElement;
  let button!: HTMLButtonElement;
  let field!: HTMLInputElement;

  const listed = () =>
    listedModels(catalog.models.value(), {
      query: query(),
      favorites: preferences.value().favorite_models,
    });
  const choose = (model: ModelView) => {
    catalog.chooseModel(model.id);
    popover.hidePopover();
    document.getElementById("message")?.focus();
  };
  const onToggle = (event: ToggleEvent) => {
    setOpen(event.newState === "open");
    setQuery("");
    if (event.newState !== "open") return;
    queueMicrotask(() => {
      placePopover(button, popover, "left");
      field.focus();
    });
  };
  const onKey = (event: KeyboardEvent) => {
    const rows = [...popover.querySelectorAll<HTMLButtonElement>(".model-option")];
    const at = rows.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === "ArrowDown") rows[Math.min(at + 1, rows.length - 1)]?.focus();
    else if (event.key === "ArrowUp") (rows[at - 1] ?? field).focus();
    else if (event.key === "Enter" && document.activeElement === field) rows[0]?.click();
    else if (event.key === "Escape") {
      popover.hidePopover();
      button.focus();
    } else return;
    event.preventDefault();
  };

  return (
    <span class="model-select">
      <button
        ref={(element) => (button = element)}
        type="button"
        class="button quiet model-button"
        aria-label={texts.button(catalog.model()?.title ?? "")}
        aria-haspopup="dialog"
        aria-expanded={isOpen()}
        title={catalog.model()?.reason ?? ""}
        popovertarget={id}
        data-testid="model-picker"
        data-model={catalog.model()?.id}
      >
        <span class="clipped">{catalog.model()?.title ?? "…"}</span>
        <span class="model-chevron">
          <Icon name="chevron" size={14} />
        </span>
      </button>
      <div
        ref={(element) => (popover = element)}
        id={id}
        popover="auto"
        role="dialog"
        class="menu model-menu"
        aria-label={texts.title}
        on:toggle={onToggle}
        on:keydown={onKey}
      >
        <Show when={isOpen()}>
          <label class="visually-hidden" for="model-search">
            {texts.search}
          </label>
          <input
            ref={(element) => (field = element)}
            id="model-search"
            class="field"
            type="search"
            placeholder={texts.search}
            autocomplete="off"
            data-testid="model-search"
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
          <ul class="model-list">
            <For each={listed()}>
              {(model) => (
                <li class="row">
                  <button
                    type="button"
                    class="menu-item row model-option grow"
                    aria-current={model.id === catalog.model()?.id ? "true" : undefined}
                    title={`${model.id} (${model.reason})`}
                    data-testid="model-option"
                    data-model={model.id}
                    onClick={() => choose(model)}
                  >
                    <span class="grow clipped">{model.title}</span>
                    <Show when={model.default}>
                      <span class="tag">{texts.default}</span>
                    </Show>
                    <Show when={isAgent(model)}>
                      <span class="tag">{texts.agent}</span>
                    </Show>
                  </button>
                  <IconButton
                    look={`small star ${preferences.isFavorite(model.id) ? "on" : ""}`}
                    icon="star"
                    size={15}
                    label={texts.favorite(model.title)}
                    aria-pressed={preferences.isFavorite(model.id)}
                    data-testid="model-favorite"
                    onClick={() => void preferences.switchFavorite(model.id)}
                  />
                </li>
              )}
            </For>
          </ul>
          <Show when={listed().length === 0}>
            <p class="empty">{texts.nothing}</p>
          </Show>
        </Show>
      </div>
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

/** Agents and assistants have no provider in their id. */
function isAgent({ id }: ModelView): boolean {
  return !id.includes("/");
}
