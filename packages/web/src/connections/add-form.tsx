import { createSignal, For } from "solid-js";
import { ApiError } from "@capstan/client";
import { client } from "../api/client.ts";
import { ErrorText } from "../shell/error-text.tsx";
import { Field, Form, FormActions } from "../shell/form.tsx";
import { createAction } from "../state/action.ts";
import { connectionsTexts as texts } from "../texts/connections.ts";
import { knownServices } from "./known-services.ts";

/** Adds a server: one of the known services, or another address. */
export function AddForm(props: {
  readonly onAdded: () => Promise<void>;
  readonly onCancel: () => void;
}) {
  const [url, setUrl] = createSignal("");
  const [name, setName] = createSignal("");
  const adding = createAction();
  /** The address that the server found to be private; saving it again accepts that. */
  const [privateUrl, setPrivateUrl] = createSignal("");
  const isPrivate = () => privateUrl() !== "" && privateUrl() === url().trim();
  const choose = (chosen: string) => {
    const known = knownServices.find((one) => one.name === chosen);
    setUrl(known?.url ?? "");
    setName(known?.name ?? "");
  };
  const save = () =>
    adding.run(
      async () => {
        await client.addConnection({
          name: name().trim(),
          url: url().trim(),
          ...(isPrivate() && { private: true }),
        });
        await props.onAdded();
      },
      (failure) => {
        if (failure instanceof ApiError && failure.code === "private_address")
          setPrivateUrl(url().trim());
      },
    );
  return (
    <Form
      class="connection-form"
      aria-label={texts.add}
      data-testid="connection-form"
      onSubmit={() => void save()}
      onEscape={() => props.onCancel()}
    >
      <Field id="connection-known" as="select" label={texts.form.known} onValue={choose}>
        <option value="">{texts.form.other}</option>
        <For each={knownServices}>{(one) => <option value={one.name}>{one.title}</option>}</For>
      </Field>
      <Field
        id="connection-url"
        label={texts.form.url}
        value={url()}
        onValue={setUrl}
        placeholder={texts.form.urlPlaceholder}
        inputmode="url"
        autocomplete="off"
        spellcheck={false}
        required
      />
      <Field
        id="connection-name"
        label={texts.form.name}
        value={name()}
        onValue={setName}
        placeholder={texts.form.namePlaceholder}
        autocomplete="off"
        spellcheck={false}
        required
      />
      <ErrorText class="field-error" message={adding.error()} testId="connection-error" />
      <FormActions
        isBusy={adding.isBusy()}
        onCancel={props.onCancel}
        word={isPrivate() ? texts.form.savePrivate : texts.form.save}
        testId="connection-save"
      />
    </Form>
  );
}
