import { createEffect, createSignal, For, on, onCleanup, Show } from "solid-js";
import { messageOf } from "../api/api-error.ts";

import { CopyButton } from "../shell/copy-button.tsx";
import { saveFile } from "../shell/save-file.ts";
import { Icon } from "../shell/icon.tsx";
import { attempt, showToast } from "../state/toasts.ts";
import { readWholeVariable } from "./read-whole-variable.ts";
import { VariableForm } from "./variable-form.tsx";
import { createVariableText } from "./variable-text.ts";
import { referenceTo, variableTypes } from "./variable-types.ts";
import type { Variables } from "./variables.ts";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { variablesTexts } from "../texts/variables.ts";

export interface VariableDetailProps {
  readonly name: string;
  readonly variables: Variables;
  readonly onBack: () => void;
}

/** One variable in full; a long one is loaded in pages. */
export function VariableDetail(props: VariableDetailProps) {
  // The parent creates this component again for another name, so the name is fixed here.
  const { name, variables } = props;
  const text = createVariableText(variables.conversation, name);
  const [editing, setEditing] = createSignal<string | null>(null);
  createEffect(on([variables.conversation, variables.revision], () => void text.reload()));

  const whole = async (): Promise<string | null> => {
    const id = variables.conversation();
    const info = text.info();
    if (id === null || info === null) return null;
    try {
      const value = await readWholeVariable(id, info);
      if (value === null) showToast({ text: variablesTexts.tooLarge(name), tone: "danger" });
      return value;
    } catch (error) {
      showToast({ text: messageOf(error), tone: "danger" });
      return null;
    }
  };
  const download = async () => {
    const value = await whole();
    if (value === null) return;
    const fileName = `${name.replaceAll(/[^\w.-]+/g, "_")}.txt`;
    saveFile(fileName, new Blob([value], { type: "text/plain" }));
  };
  const pin = (keep: boolean) =>
    attempt(variablesTexts.notChanged, () => variables.change(name, { keep }));
  const remove = async () => {
    const info = text.info();
    if (info === null) return;
    props.onBack();
    await variables.remove(info);
  };

  return (
    <div class="variable-detail" data-testid="variable-detail">
      <Button look="quiet" data-testid="variable-back" onClick={() => props.onBack()}>
        <span class="back">
          <Icon name="chevron" size={16} />
        </span>
        {variablesTexts.all}
      </Button>
      <h3
        class="variable-title breaks"
        tabindex="-1"
        ref={(title) => queueMicrotask(() => title.focus())}
      >
        {name}
      </h3>
      <ErrorNotice message={text.error()} />
      <Show when={text.info()}>
        {(info) => (
          <Show
            when={editing() === null}
            fallback={
              <VariableForm
                variable={info()}
                text={editing() ?? ""}
                onCancel={() => setEditing(null)}
                onSave={async (_name, body) => {
                  await variables.change(name, body);
                  setEditing(null);
                }}
              />
            }
          >
            <p class="variable-facts faint">
              <span class="tag">{variableTypes[info().type]}</span>{" "}
              {variablesTexts.size(info().length, info().bytes)} ·{" "}
              {variablesTexts.uses(info().referenceCount)}
            </p>
            <Show when={info().desc}>{(desc) => <p class="variable-desc soft">{desc()}</p>}</Show>
            <Show when={info().tags.length > 0}>
              <p class="tags flow">
                <For each={info().tags}>
                  {(tag) => (
                    <button
                      type="button"
                      class="tag"
                      title={variablesTexts.showTag(tag)}
                      onClick={() => {
                        variables.setFilter({ search: "", type: "", tag });
                        props.onBack();
                      }}
                    >
                      {tag}
                    </button>
                  )}
                </For>
              </p>
            </Show>
            <p class="variable-reference row">
              <code>{referenceTo(name)}</code>
              <CopyButton text={referenceTo(name)} label={variablesTexts.copyReference(name)} />
            </p>
            <div class="variable-buttons flow">
              <Button
                look="small"
                aria-pressed={info().keep}
                data-testid="variable-pin"
                onClick={() => void pin(!info().keep)}
              >
                <Icon name="pin" size={15} />{" "}
                {info().keep ? variablesTexts.kept : variablesTexts.keep}
              </Button>
              <Button
                look="small"
                data-testid="variable-edit"
                onClick={() => void whole().then((value) => setEditing(value))}
              >
                <Icon name="edit" size={15} /> {variablesTexts.edit}
              </Button>
              <Button
                look="small"
                aria-label={variablesTexts.saveLabel}
                title={variablesTexts.saveLabel}
                onClick={() => void download()}
              >
                <Icon name="arrowDown" size={15} /> {variablesTexts.save}
              </Button>
              <Button
                look="small danger"
                data-testid="variable-remove"
                onClick={() => void remove()}
              >
                <Icon name="trash" size={15} /> {variablesTexts.delete}
              </Button>
            </div>
            <div
              class="value whole"
              role="region"
              aria-label={variablesTexts.valueOf(name)}
              tabindex="0"
              data-testid="variable-value"
            >
              <For each={text.pages()}>{(page) => <span>{page}</span>}</For>
            </div>
            <Show when={text.read() < info().length}>
              <MoreText
                read={text.read()}
                length={info().length}
                isLoading={text.isLoading()}
                onMore={() => void text.more()}
              />
            </Show>
          </Show>
        )}
      </Show>
    </div>
  );
}

interface MoreTextProps {
  readonly read: number;
  readonly length: number;
  readonly isLoading: boolean;
  readonly onMore: () => void;
}

/** Loads the next page when it scrolls into view. */
function MoreText(props: MoreTextProps) {
  const watch = (element: HTMLElement) => {
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) && !props.isLoading) props.onMore();
    });
    createEffect(() => {
      // After each page, observe again: the observer then reports whether the element is still in view.
      watcher.unobserve(element);
      if (props.read > 0) watcher.observe(element);
    });
    onCleanup(() => watcher.disconnect());
  };
  return (
    <p class="more-text spread" ref={watch} data-testid="variable-more">
      {variablesTexts.charactersRead(props.read, props.length)}{" "}
      <Button look="small" disabled={props.isLoading} onClick={() => props.onMore()}>
        {variablesTexts.showMore}
      </Button>
    </p>
  );
}
