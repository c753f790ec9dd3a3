import { createEffect } from "solid-js";
import { apiKey, apiKeyWanted, giveApiKey } from "../api/api-key.ts";
import { Button } from "../shell/button.tsx";
import { Field, Form } from "../shell/form.tsx";
import { settingsTexts } from "../texts/settings.ts";

/** Asks for an API key if the server requires one. The key stays in this tab. */
export function ApiKeyDialog() {
  let dialog!: HTMLDialogElement;
  let field!: HTMLInputElement;
  createEffect(() => {
    if (apiKeyWanted() && !dialog.open) dialog.showModal();
    if (!apiKeyWanted()) dialog.close();
  });

  return (
    <dialog
      ref={(element) => (dialog = element)}
      class="dialog"
      aria-labelledby="api-key-title"
      data-testid="api-key-dialog"
      onCancel={(event) => event.preventDefault()}
    >
      <Form
        onSubmit={() => {
          const key = field.value.trim();
          if (key !== "") giveApiKey(key);
          field.value = "";
        }}
      >
        <h2 id="api-key-title">{settingsTexts.key.title}</h2>
        <p>
          {apiKeyWanted() && apiKey() !== null ? `${settingsTexts.key.rejected} ` : ""}{" "}
          {settingsTexts.key.ask.before} <code>CAPSTAN_API_KEYS</code>
          {settingsTexts.key.ask.after} {settingsTexts.key.storage} {settingsTexts.key.pair.before}{" "}
          <code>capstan pair</code> {settingsTexts.key.pair.after}
        </p>
        <Field
          id="api-key"
          label={settingsTexts.key.field}
          ref={(element) => (field = element)}
          data-testid="api-key-input"
          type="password"
          autocomplete="off"
          required
        />
        <div class="dialog-actions">
          <Button type="submit" look="primary" data-testid="api-key-submit">
            {settingsTexts.key.submit}
          </Button>
        </div>
      </Form>
    </dialog>
  );
}
