import { createEffect } from "solid-js";
import { apiKey, apiKeyWanted, giveApiKey } from "../api/api-key.ts";
import { Button } from "../shell/button.tsx";
import { Field, Form } from "../shell/form.tsx";

/** Asks for the server's key when it wants one. The key stays in this tab. */
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
        <h2 id="api-key-title">This server needs a key</h2>
        <p>
          {apiKeyWanted() && apiKey() !== null ? "The key was not accepted. " : ""}
          Ask whoever runs it for one of its <code>CAPSTAN_API_KEYS</code>. The key is kept in this
          tab only. To pair this browser instead, run <code>capstan pair</code> on the server's
          machine and open the link here.
        </p>
        <Field
          id="api-key"
          label="API key"
          ref={(element) => (field = element)}
          data-testid="api-key-input"
          type="password"
          autocomplete="off"
          required
        />
        <div class="dialog-actions">
          <Button type="submit" look="primary" data-testid="api-key-submit">
            Use this key
          </Button>
        </div>
      </Form>
    </dialog>
  );
}
