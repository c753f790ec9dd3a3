import type { RunView, ScriptToolView } from "@capstan/contract";
import { createSignal, For, onCleanup, Show } from "solid-js";
import { client } from "../api/client.ts";
import { createLiveRun, type LiveRun } from "../state/live-run.ts";
import { hasEnded } from "../run/run-state.ts";
import { type ArgumentField, readArguments } from "./argument-fields.ts";
import { TrialCall } from "./trial-call.tsx";
import { FieldError } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { Field, Form } from "../shell/form.tsx";
import { createAction } from "../state/action.ts";
import { scriptsTexts } from "../texts/scripts.ts";

/** A form for a tool's arguments, and the outcome of its call. */
export function TryTool(props: {
  readonly id: string;
  readonly tool: ScriptToolView;
  readonly fields: readonly ArgumentField[];
}) {
  const [written, setWritten] = createSignal<{ readonly [name: string]: string }>({});
  const [errors, setErrors] = createSignal<{ readonly [name: string]: string }>({});
  const sending = createAction("tool");
  const [run, setRun] = createSignal<LiveRun | null>(null);
  let form!: HTMLFormElement;
  onCleanup(() => run()?.stop());
  const isGoing = () => {
    const now = run();
    return sending.isBusy() || (now !== null && !hasEnded(now.state().phase));
  };

  async function call(): Promise<void> {
    if (isGoing()) return;
    const read = readArguments(props.fields, written());
    setErrors(read.type === "invalid" ? read.errors : {});
    sending.setError(null);
    if (read.type === "invalid") {
      form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
      return;
    }
    run()?.stop();
    setRun(null);
    await sending.run(async () => {
      const begun = await client.callScript(props.id, {
        tool: props.tool.name,
        arguments: { ...read.value, ...wholeResult(props.tool) },
      });
      setRun(createLiveRun({ run: fromTheStart(begun), onProgress: () => {} }));
    });
  }

  // The outcome is next to the form, not in it, because its approval card has its own form.
  return (
    <div class="try box">
      <Form
        ref={(element) => (form = element)}
        aria-label={scriptsTexts.trial.form(props.tool.name)}
        data-testid="try-form"
        onSubmit={() => void call()}
      >
        <For each={props.fields}>
          {(field) => (
            <ArgumentInput
              id={`argument-${props.tool.name}-${field.name}`}
              field={field}
              value={written()[field.name] ?? ""}
              error={errors()[field.name]}
              onValue={(text) => {
                setWritten((before) => ({ ...before, [field.name]: text }));
                setErrors(({ [field.name]: _gone, ...others }) => others);
              }}
            />
          )}
        </For>
        <FieldError message={sending.error()} />
        <div class="script-actions row">
          <Button type="submit" look="primary small" disabled={isGoing()} data-testid="call-tool">
            {scriptsTexts.trial.call(props.tool.name)}
          </Button>
        </div>
      </Form>
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
  readonly onValue: (text: string) => void;
}) {
  // The parent creates this component again for another field.
  const { type, name, isRequired, choices, defaultText, typeText } = props.field;
  const placeholder = defaultText ?? typeText;
  const attributes = () =>
    ({
      text: { placeholder, spellcheck: false },
      json: { placeholder: scriptsTexts.trial.json(placeholder), spellcheck: false },
      number: { inputmode: "decimal", autocomplete: "off", placeholder },
      choice: {},
    })[type];
  const isLines = type === "text" || type === "json";
  return (
    <Field
      id={props.id}
      label={
        <>
          {name}
          {isRequired ? null : (
            <span class="parameter-type faint breaks"> {scriptsTexts.tools.optional}</span>
          )}
        </>
      }
      as={type === "choice" ? "select" : isLines ? "textarea" : "input"}
      {...attributes()}
      {...(isLines && { look: "code", rows: Math.min(12, props.value.split("\n").length) })}
      aria-required={isRequired}
      error={props.error}
      value={props.value}
      onValue={props.onValue}
    >
      <Show when={type === "choice"}>
        <option value="" selected={props.value === ""}>
          {isRequired
            ? scriptsTexts.trial.choose
            : scriptsTexts.trial.omitted(
                defaultText === undefined ? undefined : plain(defaultText),
              )}
        </option>
        <For each={choices}>
          {(choice) => (
            <option value={choice} selected={props.value === choice}>
              {plain(choice)}
            </option>
          )}
        </For>
      </Show>
    </Field>
  );
}

/** Returns text without its quotes. */
function plain(json: string): string {
  const value = JSON.parse(json) as unknown;
  return typeof value === "string" && value !== "" ? value : json;
}

/** The argument that disables truncation of the result, unless the tool has its own `limit`. */
function wholeResult({ parameters }: ScriptToolView): { readonly limit?: number } {
  const { properties } = parameters as { readonly properties?: object };
  return properties !== undefined && Object.hasOwn(properties, "limit") ? {} : { limit: 0 };
}

/** A new run: all of its events come from the stream. */
function fromTheStart(run: RunView) {
  return { ...run, events: [], last_seq: 0, status: "queued" } as const;
}
