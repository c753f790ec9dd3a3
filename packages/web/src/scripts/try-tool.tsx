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

/** A form for a tool's arguments, and what comes of its call. */
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

  // What comes of it is beside the form, not in it: a question there has a form of its own.
  return (
    <div class="try box">
      <Form
        ref={(element) => (form = element)}
        aria-label={`Arguments of ${props.tool.name}`}
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
            Call {props.tool.name}
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
  // The parent makes this anew for another field.
  const { type, name, isRequired, choices, defaultText, typeText } = props.field;
  const placeholder = defaultText ?? typeText;
  const attributes = {
    text: { placeholder, spellcheck: false },
    json: { placeholder: `JSON: ${placeholder}`, spellcheck: false },
    number: { inputmode: "decimal", autocomplete: "off", placeholder },
    choice: {},
  }[type];
  const isLines = type === "text" || type === "json";
  return (
    <Field
      id={props.id}
      label={
        <>
          {name}
          {isRequired ? null : <span class="parameter-type faint breaks"> optional</span>}
        </>
      }
      as={type === "choice" ? "select" : isLines ? "textarea" : "input"}
      {...attributes}
      {...(isLines && { look: "code", rows: Math.min(12, props.value.split("\n").length) })}
      aria-required={isRequired}
      error={props.error}
      value={props.value}
      onValue={props.onValue}
    >
      <Show when={type === "choice"}>
        <option value="" selected={props.value === ""}>
          {isRequired ? "choose" : `left out${whatThen(props.field)}`}
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
