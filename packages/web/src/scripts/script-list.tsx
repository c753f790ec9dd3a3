import type { ScriptValueView, ScriptView } from "@capstan/contract";
import { createSignal, Show } from "solid-js";
import { client } from "../api/client.ts";
import { navigateToScript, routedScript, scriptHref } from "../state/route.ts";

import { Icon } from "../shell/icon.tsx";
import { KeyedFor } from "../shell/keyed-for.tsx";
import type { Loaded } from "../state/loaded.ts";
import { isUnsaved } from "./editor/drafts.ts";
import { ScriptValues } from "./script-values.tsx";
import { scriptBadge } from "./script-badge.ts";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { Field, Form, FormActions } from "../shell/form.tsx";
import { createAction } from "../state/action.ts";
import { scriptsTexts } from "../texts/scripts.ts";

/** The list of files, and a form to create one. */
export function ScriptList(props: {
  readonly scripts: Loaded<readonly ScriptView[]>;
  readonly values: Loaded<readonly ScriptValueView[]>;
}) {
  const [name, setName] = createSignal<string | null>(null);
  const making = createAction("name");
  let add!: HTMLButtonElement;
  const close = () => {
    setName(null);
    making.setError(null);
    queueMicrotask(() => add.focus());
  };
  const make = () =>
    making.run(async () => {
      const made = await client.createScript({ name: (name() ?? "").trim() });
      await props.scripts.refresh();
      setName(null);
      navigateToScript(made.id);
    });

  return (
    <section class="script-list" aria-labelledby="script-list-title">
      <div class="script-list-head spread">
        <h2 id="script-list-title">{scriptsTexts.list.title}</h2>
        <Button
          ref={(element) => (add = element)}
          look="small"
          aria-expanded={name() !== null}
          data-testid="new-script"
          onClick={() => (name() === null ? setName("") : close())}
        >
          <Icon name="add" size={15} /> {scriptsTexts.list.new}
        </Button>
      </div>
      <Show when={name() !== null}>
        <Form
          class="new-script"
          aria-label={scriptsTexts.list.newLabel}
          onSubmit={() => void make()}
          onEscape={close}
        >
          <Field
            id="new-script-name"
            label={scriptsTexts.list.name}
            look="code"
            ref={(element) => queueMicrotask(() => element.focus())}
            placeholder="weather.py"
            autocomplete="off"
            spellcheck={false}
            error={making.error()}
            value={name() ?? ""}
            onValue={(text) => {
              setName(text);
              making.setError(null);
            }}
          />
          <FormActions
            isBusy={making.isBusy()}
            onCancel={close}
            look="small"
            word={scriptsTexts.list.create}
          />
        </Form>
      </Show>
      <ErrorNotice message={props.scripts.error()} />
      <ul>
        <KeyedFor each={props.scripts.value()} by={({ id }) => id}>
          {(script) => <ScriptItem script={script()} />}
        </KeyedFor>
      </ul>
      <Show when={props.scripts.isReady() && props.scripts.value().length === 0}>
        <p class="empty" data-testid="no-scripts">
          {scriptsTexts.list.empty}
        </p>
      </Show>
      <ScriptValues values={props.values} />
    </section>
  );
}

function ScriptItem(props: { readonly script: ScriptView }) {
  const face = () => scriptBadge(props.script);
  const errors = () => props.script.problems.filter(({ severity }) => severity === "error").length;
  return (
    <li>
      <a
        class="script-item flow"
        classList={{ active: routedScript() === props.script.id }}
        href={scriptHref(props.script.id)}
        aria-current={routedScript() === props.script.id ? "page" : undefined}
        data-testid="script-item"
        data-name={props.script.name}
      >
        <span class="script-name breaks">
          {props.script.name}
          <Show when={isUnsaved(props.script.id)}>
            <span class="script-unsaved" title={scriptsTexts.list.notSaved}>
              {" "}
              ●<span class="visually-hidden">{scriptsTexts.list.notSaved}</span>
            </span>
          </Show>
        </span>
        <span class={`script-face ${face().tone}`}>{face().label}</span>
        <span class="faint">{scriptsTexts.list.contents(props.script.tools.length, errors())}</span>
      </a>
    </li>
  );
}
