import { createEffect, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { ModelPicker } from "../settings/model-picker.tsx";
import { groupsOn } from "../state/switches.ts";
import { AttachButton } from "../attachments/attach-button.tsx";
import { attachPasted } from "../attachments/attach-files.ts";
import { AttachmentList } from "../attachments/attachment-list.tsx";
import { Icon } from "../shell/icon.tsx";
import { sendMessage } from "./send-message.ts";
import { Button, IconButton } from "../shell/button.tsx";
import { Form } from "../shell/form.tsx";
import { chatTexts } from "../texts/chat.ts";
import { shellTexts } from "../texts/shell.ts";

/** The field for the next message. Enter sends it; Shift+Enter starts a new line. */
export function Composer() {
  const app = useApp();
  const { catalog, chat } = app;
  let field!: HTMLTextAreaElement;

  const isBusy = () => chat.active() !== null || chat.sending() !== null;
  const canSend = () =>
    !isBusy() &&
    (app.draft().trim() !== "" || app.attachments.list().length > 0) &&
    app.attachments.isReady() &&
    chat.status().type === "ready" &&
    catalog.model() !== null &&
    // A message that is sent before the tools are loaded would offer no tools to the model.
    catalog.groups.isReady();
  /** Only messages without files can be queued. */
  const canQueue = () =>
    isBusy() &&
    chat.conversationId() !== null &&
    app.draft().trim() !== "" &&
    app.attachments.list().length === 0;
  const submit = () => {
    if (canQueue() && app.queue.add(app.draft())) return app.setDraft("");
    if (!canSend()) return;
    const text = app.draft();
    app.setDraft("");
    void sendMessage(app, text);
  };
  // The field grows with its text, within the limits of the style.
  createEffect(() => {
    field.value = app.draft();
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight}px`;
  });
  const placeholder = () => {
    if (catalog.model() === null) return "";
    return catalog.isOffline()
      ? chatTexts.composer.offlinePlaceholder
      : chatTexts.composer.placeholder;
  };

  return (
    <Form class="composer" aria-label={chatTexts.composer.label} onSubmit={submit}>
      <Show when={chat.sendError()}>
        {(message) => (
          <p class="notice danger" role="alert" data-testid="send-error">
            <Icon name="alert" size={16} /> {message()}
            <IconButton
              look="small"
              icon="close"
              size={14}
              label={shellTexts.dismiss}
              onClick={() => chat.clearError()}
            />
          </p>
        )}
      </Show>
      <div class="composer-box">
        <label class="visually-hidden" for="message">
          {chatTexts.composer.message}
        </label>
        <AttachmentList />
        <textarea
          ref={(element) => (field = element)}
          id="message"
          rows="1"
          placeholder={placeholder()}
          aria-describedby="composer-hint"
          data-testid="composer-input"
          onInput={() => app.setDraft(field.value)}
          onPaste={(event) => attachPasted(app, event)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            submit();
          }}
        />
        <div class="composer-tools row">
          <AttachButton />
          <ModelPicker />
          <Button
            look="quiet"
            title={chatTexts.composer.toolGroups}
            data-testid="composer-tools"
            onClick={() => app.showPanel(app.panel() === "tools" ? null : "tools")}
          >
            <Icon name="tools" size={16} />
            <Show when={catalog.groups.isReady()} fallback="…">
              {chatTexts.composer.groups(groupsOn(catalog.groups.value(), chat.switches()).length)}
            </Show>
          </Button>
          <span class="composer-space" />
          <Show
            when={isBusy()}
            fallback={
              <Button
                type="submit"
                look="primary round"
                aria-label={chatTexts.composer.send}
                title={chatTexts.composer.sendTitle}
                disabled={!canSend()}
                data-testid="send"
              >
                <Icon name="send" />
              </Button>
            }
          >
            <Show when={canQueue()}>
              <Button
                type="submit"
                look="round"
                aria-label={chatTexts.queue.add}
                title={chatTexts.queue.add}
                data-testid="queue-message"
              >
                <Icon name="send" />
              </Button>
            </Show>
            <Button
              look="stop round"
              disabled={chat.active() === null}
              aria-label={chatTexts.composer.stop}
              title={chatTexts.composer.stopTitle}
              data-testid="stop"
              onClick={() => void chat.stop()}
            >
              <Icon name="stop" />
            </Button>
          </Show>
        </div>
      </div>
      <p id="composer-hint" class="composer-hint">
        <Show
          when={isBusy()}
          fallback={
            <>
              <kbd>Enter</kbd> {chatTexts.composer.sendHint} <kbd>Shift</kbd>+<kbd>Enter</kbd>{" "}
              {chatTexts.composer.newLineHint}
            </>
          }
        >
          <Show when={canQueue()}>
            <kbd>Enter</kbd> {chatTexts.composer.queueHint}{" "}
          </Show>
          <kbd>Esc</kbd> {chatTexts.composer.stopHint}
        </Show>
      </p>
    </Form>
  );
}
