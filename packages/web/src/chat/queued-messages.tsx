import { createEffect, For, Show } from "solid-js";
import { Button, IconButton } from "../shell/button.tsx";
import { Icon } from "../shell/icon.tsx";
import { useApp } from "../state/app-state.ts";
import type { QueuedMessage } from "../state/message-queue.ts";
import { chatTexts } from "../texts/chat.ts";
import { sendMessage } from "./send-message.ts";

/** The queued messages, which are sent when the turn ends. The user can edit and remove them. */
export function QueuedMessages() {
  const app = useApp();
  const { catalog, chat, queue } = app;
  const isFree = () =>
    chat.status().type === "ready" &&
    chat.conversationId() !== null &&
    chat.active() === null &&
    chat.sending() === null &&
    catalog.groups.isReady() &&
    catalog.model() !== null;
  /** After a turn that failed or was stopped, the user decides whether to send them. */
  const isHeld = () =>
    chat.sendError() !== null || chat.branch().at(-1)?.state().phase !== "completed";
  const send = (message: QueuedMessage) =>
    void queue.sendOne(message, (text) => sendMessage(app, text, { isQueued: true }));

  createEffect(() => {
    const [next] = queue.list();
    if (next !== undefined && isFree() && !isHeld()) send(next);
  });

  const edit = (message: QueuedMessage) => {
    const draft = app.draft();
    app.setDraft(draft.trim() === "" ? message.text : `${message.text}\n${draft}`);
    queue.remove(message.id);
    document.getElementById("message")?.focus();
  };

  return (
    <Show when={queue.list().length > 0}>
      <section class="queue" aria-label={chatTexts.queue.label} data-testid="queue">
        <p class="faint">{isFree() && isHeld() ? chatTexts.queue.held : chatTexts.queue.about}</p>
        <ol>
          <For each={queue.list()}>
            {(message, index) => (
              <li class="queued row" data-testid="queued-message">
                <span class="grow clipped" dir="auto">
                  {message.text}
                </span>
                <Show when={index() === 0 && isFree() && isHeld()}>
                  <Button look="small" onClick={() => send(message)}>
                    <Icon name="send" size={14} /> {chatTexts.composer.send}
                  </Button>
                </Show>
                <IconButton
                  look="small"
                  icon="edit"
                  size={15}
                  label={chatTexts.queue.edit}
                  data-testid="edit-queued"
                  onClick={() => edit(message)}
                />
                <IconButton
                  look="small"
                  icon="close"
                  size={15}
                  label={chatTexts.queue.remove}
                  data-testid="remove-queued"
                  onClick={() => queue.remove(message.id)}
                />
              </li>
            )}
          </For>
        </ol>
      </section>
    </Show>
  );
}
