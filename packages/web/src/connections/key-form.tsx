import { createSignal } from "solid-js";
import { client } from "../api/client.ts";
import { ErrorText } from "../shell/error-text.tsx";
import { Field, Form, FormActions } from "../shell/form.tsx";
import { createAction } from "../state/action.ts";
import { connectionsTexts as texts } from "../texts/connections.ts";

/** Stores a key or a token for a server. */
export function KeyForm(props: {
  readonly name: string;
  readonly onSaved: () => Promise<void>;
  readonly onCancel: () => void;
}) {
  const [value, setValue] = createSignal("");
  const [header, setHeader] = createSignal("");
  const saving = createAction();
  const save = () =>
    saving.run(async () => {
      const key = header().trim();
      await client.setCredential(
        props.name,
        key === ""
          ? { type: "bearer", token: value() }
          : { type: "api_key", in: "header", name: key, value: value() },
      );
      await props.onSaved();
    });
  return (
    <Form
      class="connection-form"
      aria-label={texts.key.enter}
      data-testid="key-form"
      onSubmit={() => void save()}
      onEscape={() => props.onCancel()}
    >
      <Field
        id={`key-${props.name}`}
        label={texts.key.label}
        type="password"
        value={value()}
        onValue={setValue}
        autocomplete="off"
        required
      />
      <Field
        id={`header-${props.name}`}
        label={texts.key.header}
        value={header()}
        onValue={setHeader}
        autocomplete="off"
        spellcheck={false}
      />
      <ErrorText class="field-error" message={saving.error()} />
      <FormActions isBusy={saving.isBusy()} onCancel={props.onCancel} word={texts.key.save} />
    </Form>
  );
}
