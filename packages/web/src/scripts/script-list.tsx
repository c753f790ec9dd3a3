import type { ScriptView } from "@capstan/contract";
import { createSignal, Show } from "solid-js";
import { messageOf, withoutPlace } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { navigateToScript, routedScript, scriptHref } from "../state/route.ts";
import { plural } from "../format/count.ts";
import { FieldError } from "../shell/field-error.tsx";
import { Icon } from "../shell/icon.tsx";
import { KeyedFor } from "../shell/keyed-for.tsx";
import type { Loaded } from "../state/loaded.ts";
import { isUnsaved } from "./editor/drafts.ts";
import { scriptBadge } from "./script-badge.ts";

/** The files there are, and the beginning of a new one. */
export function ScriptList(props: { readonly scripts: Loaded<readonly ScriptView[]> }) {
  const [name, setName] = createSignal<string | null>(null);
  const [error, setError] = createSignal<string>();
  const [isMaking, setMaking] = createSignal(false);
  let add!: HTMLButtonElement;
  const close = () => {
    setName(null);
    setError(undefined);
    queueMicrotask(() => add.focus());
  };
  async function make(): Promise<void> {
    if (isMaking()) return;
    setMaking(true);
    setError(undefined);
    try {
      const made = await client.createScript({ name: (name() ?? "").trim() });
      await props.scripts.refresh();
      setName(null);
      navigateToScript(made.id);
    } catch (failure) {
      setError(withoutPlace(messageOf(failure), "name"));
    } finally {
      setMaking(false);
    }
  }

  return (
    <section class="script-list" aria-labelledby="script-list-title">
      <div class="script-list-head">
        <h2 id="script-list-title">Files of tools</h2>
        <button
          ref={(element) => (add = element)}
          type="button"
          class="button small"
          aria-expanded={name() !== null}
          data-testid="new-script"
          onClick={() => (name() === null ? setName("") : close())}
        >
          <Icon name="add" size={15} /> New
        </button>
      </div>
      <Show when={name() !== null}>
        <form
          class="new-script"
          aria-label="A new file"
          onSubmit={(event) => {
            event.preventDefault();
            void make();
          }}
          on:keydown={(event) => {
            if (event.key !== "Escape" || event.isComposing) return;
            event.preventDefault();
            close();
          }}
        >
          <label class="label" for="new-script-name">
            Name, with .py or .ps1
          </label>
          <input
            ref={(element) => queueMicrotask(() => element.focus())}
            id="new-script-name"
            class="field code"
            placeholder="weather.py"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={error() !== undefined}
            aria-describedby={error() === undefined ? undefined : "new-script-error"}
            value={name() ?? ""}
            onInput={(event) => {
              setName(event.currentTarget.value);
              setError(undefined);
            }}
          />
          <FieldError id="new-script-error" message={error()} />
          <div class="dialog-actions">
            <button type="button" class="button quiet small" onClick={close}>
              Cancel
            </button>
            <button type="submit" class="button primary small" disabled={isMaking()}>
              Begin it
            </button>
          </div>
        </form>
      </Show>
      <Show when={props.scripts.error()}>
        {(message) => (
          <p class="notice danger" role="alert">
            {message()}
          </p>
        )}
      </Show>
      <ul>
        <KeyedFor each={props.scripts.value()} by={({ id }) => id}>
          {(script) => <ScriptItem script={script()} />}
        </KeyedFor>
      </ul>
      <Show when={props.scripts.isReady() && props.scripts.value().length === 0}>
        <p class="empty" data-testid="no-scripts">
          There are none yet.
        </p>
      </Show>
    </section>
  );
}

function ScriptItem(props: { readonly script: ScriptView }) {
  const face = () => scriptBadge(props.script);
  const errors = () => props.script.problems.filter(({ severity }) => severity === "error").length;
  return (
    <li>
      <a
        class="script-item"
        classList={{ active: routedScript() === props.script.id }}
        href={scriptHref(props.script.id)}
        aria-current={routedScript() === props.script.id ? "page" : undefined}
        data-testid="script-item"
        data-name={props.script.name}
      >
        <span class="script-name">
          {props.script.name}
          <Show when={isUnsaved(props.script.id)}>
            <span class="script-unsaved" title="Not saved">
              {" "}
              ●<span class="visually-hidden">not saved</span>
            </span>
          </Show>
        </span>
        <span class={`script-face ${face().tone}`}>{face().label}</span>
        <span class="script-numbers">
          {plural(props.script.tools.length, "tool")}
          {errors() > 0 ? `, ${plural(errors(), "error")}` : ""}
        </span>
      </a>
    </li>
  );
}
