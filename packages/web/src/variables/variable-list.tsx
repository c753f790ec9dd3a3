import type { VariableView } from "@capstan/contract";
import { For, onCleanup, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";

import { formatAge } from "../format/duration.ts";
import { CopyButton } from "../shell/copy-button.tsx";
import { Icon } from "../shell/icon.tsx";
import { KeyedFor } from "../shell/keyed-for.tsx";
import { referenceTo, variableTypes } from "./variable-types.ts";
import type { Variables } from "./variables.ts";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Button, IconButton } from "../shell/button.tsx";
import { variablesTexts } from "../texts/variables.ts";

/** Milliseconds without typing before a search begins. */
const searchDelay = 180;

/** The variables that match the search, newest first. */
export function VariableList(props: { readonly variables: Variables; readonly onAdd: () => void }) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const search = (text: string) => {
    clearTimeout(timer);
    timer = setTimeout(
      () => props.variables.setFilter({ ...props.variables.filter(), search: text.trim() }),
      searchDelay,
    );
  };
  const { list } = props.variables;
  // Rules come with the tool groups, and users cannot change them, so they are listed last.
  const isRule = (variable: VariableView) => Number(variable.type === "RULE");
  const sorted = () =>
    list.value().toSorted((a, b) => isRule(a) - isRule(b) || b.updated - a.updated);
  const isFiltered = () => Object.values(props.variables.filter()).some((word) => word !== "");

  return (
    <>
      <p class="panel-text">
        {variablesTexts.about.before} <code>{referenceTo("name")}</code>,{" "}
        {variablesTexts.about.after}
      </p>
      <div class="variable-tools">
        <input
          type="search"
          class="field"
          placeholder={variablesTexts.search}
          aria-label={variablesTexts.searchLabel}
          data-testid="variable-search"
          value={props.variables.filter().search}
          onInput={(event) => search(event.currentTarget.value)}
        />
        <select
          class="select"
          aria-label={variablesTexts.type}
          data-testid="variable-type"
          onChange={(event) =>
            props.variables.setFilter({
              ...props.variables.filter(),
              type: event.currentTarget.value,
            })
          }
        >
          <option value="">{variablesTexts.allTypes}</option>
          <For each={Object.entries(variableTypes)}>
            {([type, word]) => <option value={type}>{word}</option>}
          </For>
        </select>
        <Button data-testid="variable-add" onClick={() => props.onAdd()}>
          <Icon name="add" size={16} /> {variablesTexts.add}
        </Button>
      </div>
      <Show when={props.variables.filter().tag}>
        {(tag) => (
          <p class="variable-filter row">
            {variablesTexts.tagged} <span class="tag">{tag()}</span>
            <Button
              look="small"
              data-testid="variable-tag-clear"
              onClick={() => props.variables.setFilter({ ...props.variables.filter(), tag: "" })}
            >
              {variablesTexts.showAll}
            </Button>
          </p>
        )}
      </Show>
      <ErrorNotice message={list.error()} />
      <ul class="variables" aria-label={variablesTexts.list} data-testid="variable-list">
        <KeyedFor
          each={sorted()}
          by={({ name }) => name}
          fallback={
            <Show when={list.isReady()}>
              <li class="empty">
                {isFiltered() ? variablesTexts.noMatches : variablesTexts.empty}
              </li>
            </Show>
          }
        >
          {(variable) => <VariableItem variable={variable()} variables={props.variables} />}
        </KeyedFor>
        <For each={props.variables.unreadable()}>
          {({ id, error }) => (
            <li class="variable row" data-testid="damaged-variable">
              <span class="stack grow">
                <span class="variable-name breaks">{id}</span>
                <span class="variable-desc soft">
                  <span class="tag bad">{variablesTexts.damaged}</span> {error.message}
                </span>
              </span>
            </li>
          )}
        </For>
      </ul>
    </>
  );
}

function VariableItem(props: { readonly variable: VariableView; readonly variables: Variables }) {
  const { showVariable } = useApp();
  const name = () => props.variable.name;
  return (
    <li class="variable row" data-testid="variable-item" data-name={name()}>
      <button
        type="button"
        class="variable-open stack grow bare"
        onClick={() => showVariable(name())}
      >
        <span class="variable-name breaks">
          <Show when={props.variable.keep}>
            <span class="pin" title={variablesTexts.kept}>
              <Icon name="pin" size={14} />
            </span>
          </Show>
          {name()}
        </span>
        <span class="variable-facts faint">
          <span class="tag">{variableTypes[props.variable.type]}</span>
          {variablesTexts.size(props.variable.length, props.variable.bytes)} ·{" "}
          {formatAge(props.variable.updated, Date.now())}
          <Show when={props.variable.referenceCount > 0}>
            {" "}
            · {variablesTexts.uses(props.variable.referenceCount)}
          </Show>
        </span>
        <Show when={props.variable.desc}>
          {(desc) => <span class="variable-desc soft">{desc()}</span>}
        </Show>
      </button>
      <span class="variable-actions">
        <CopyButton text={referenceTo(name())} label={variablesTexts.copyReference(name())} />
        <IconButton
          look="small"
          icon="trash"
          size={15}
          label={variablesTexts.deleteLabel(name())}
          data-testid="variable-delete"
          onClick={() => void props.variables.remove(props.variable)}
        />
      </span>
    </li>
  );
}
