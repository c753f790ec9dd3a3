import type { RunView, ScriptToolView } from "@capstan/contract";
import { createSignal, For, Match, onCleanup, Show, Switch } from "solid-js";
import { messageOf, withoutPlace } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { createLiveRun, type LiveRun } from "../state/live-run.ts";
import { hasEnded } from "../run/run-state.ts";
import { FieldError } from "../shell/field-error.tsx";
import { type ArgumentField, readArguments } from "./argument-fields.ts";
import { TrialCall } from "./trial-call.tsx";

/** A form for a tool's arguments, and what comes of its call. */
export function TryTool(props: {
  readonly id: string;
  readonly tool: ScriptToolView;
  readonly fields: readonly ArgumentField[];
}) {
  const [written, setWritten] = createSignal<{ readonly [name: string]: string }>({});
  const [errors, setErrors] = createSignal<{ readonly [name: string]: string }>({});
  const [failure, setFailure] = createSignal<string | null>(null);
  const [run, setRun] = createSignal<LiveRun | null>(null);
  const [isSending, setSending] = createSignal(false);
  let form!: HTMLFormElement;
  onCleanup(() => run()?.stop());
  const isGoing = () => {
    const now = run();
    return isSending() || (now !== null && !hasEnded(now.state().phase));
  };
  const idOf = (name: string) => `argument-${props.tool.name}-${name}`;

  async function call(): Promise<void> {
    if (isGoing()) return;
    const read = readArguments(props.fields, written());
    setErrors(read.type === "invalid" ? read.errors : {});
    setFailure(null);
    if (read.type === "invalid") {
      form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
      return;
    }
    setSending(true);
    run()?.stop();
    setRun(null);
    try {
      const begun = await client.callScript(props.id, {
        tool: props.tool.name,
        arguments: { ...read.value, ...wholeResult(props.tool) },
      });
      setRun(createLiveRun({ run: fromTheStart(begun), onProgress: () => {} }));
    } catch (error) {
      setFailure(withoutPlace(messageOf(error), "tool"));
    } finally {
      setSending(false);
    }
  }

  // What comes of it is beside the form, not in it: a question there has a form of its own.
  return (
    <div class="try">
      <form
        ref={(element) => (form = element)}
        aria-label={`Arguments of ${props.tool.name}`}
        data-testid="try-form"
        onSubmit={(event) => {
          event.preventDefault();
          void call();
        }}
      >
        <For each={props.fields}>
          {(field) => (
            <>
              <label class="label" for={idOf(field.name)}>
                {field.name}
                <Show when={!field.isRequired}>
                  <span class="parameter-type"> optional</span>
                </Show>
              </label>
              <ArgumentInput
                id={idOf(field.name)}
                field={field}
                value={written()[field.name] ?? ""}
                error={errors()[field.name]}
                onInput={(text) => {
                  setWritten((before) => ({ ...before, [field.name]: text }));
                  setErrors(({ [field.name]: _gone, ...others }) => others);
                }}
              />
              <FieldError id={`${idOf(field.name)}-error`} message={errors()[field.name]} />
            </>
          )}
        </For>
        <Show when={failure()}>
          {(message) => (
            <p class="field-error" role="alert">
              {message()}
            </p>
          )}
        </Show>
        <div class="script-actions">
          <button
            type="submit"
            class="button primary small"
            disabled={isGoing()}
            data-testid="call-tool"
          >
            Call {props.tool.name}
          </button>
        </div>
      </form>
      <Show when={run()} keyed>
        {(live) => <TrialCall run={live} />}
      </Show>
    </div>
  );
}

function ArgumentInput(props: {
  readonly id: string;
  readonly field: ArgumentField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onInput: (text: string) => void;
}) {
  const marks = () => ({
    id: props.id,
    "aria-invalid": props.error !== undefined,
    "aria-required": props.field.isRequired,
    "aria-describedby": props.error === undefined ? undefined : `${props.id}-error`,
  });
  const placeholder = () => {
    const { defaultText, typeText } = props.field;
    return defaultText ?? typeText;
  };
  return (
    <Switch>
      <Match when={props.field.type === "choice"}>
        <select
          class="field"
          {...marks()}
          onChange={(event) => props.onInput(event.currentTarget.value)}
        >
          <option value="" selected={props.value === ""}>
            {props.field.isRequired ? "choose" : `left out${whatThen(props.field)}`}
          </option>
          <For each={props.field.choices}>
            {(choice) => (
              <option value={choice} selected={props.value === choice}>
                {plain(choice)}
              </option>
            )}
          </For>
        </select>
      </Match>
      <Match when={props.field.type === "number"}>
        <input
          class="field"
          inputmode="decimal"
          autocomplete="off"
          {...marks()}
          placeholder={placeholder()}
          value={props.value}
          onInput={(event) => props.onInput(event.currentTarget.value)}
        />
      </Match>
      <Match when={true}>
        <textarea
          class="field code"
          rows={Math.min(12, props.value.split("\n").length)}
          spellcheck={false}
          {...marks()}
          placeholder={props.field.type === "json" ? `JSON: ${placeholder()}` : placeholder()}
          value={props.value}
          onInput={(event) => props.onInput(event.currentTarget.value)}
        />
      </Match>
    </Switch>
  );
}

/** Text without its quotes, where it reads the same without. */
function plain(json: string): string {
  const value = JSON.parse(json) as unknown;
  return typeof value === "string" && value !== "" ? value : json;
}

function whatThen({ defaultText }: ArgumentField): string {
  return defaultText === undefined ? "" : `: ${plain(defaultText)}`;
}

/** The gate's own argument by which a result is not cut, where the tool has none of that name. */
function wholeResult({ parameters }: ScriptToolView): { readonly limit?: number } {
  const { properties } = parameters as { readonly properties?: object };
  return properties !== undefined && Object.hasOwn(properties, "limit") ? {} : { limit: 0 };
}

/** A run that began just now; all its events come from the stream. */
function fromTheStart(run: RunView) {
  return { ...run, events: [], last_seq: 0, status: "queued" } as const;
}
