import { createEffect, createSignal, onMount, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { navigateTo } from "../state/route.ts";
import { messageOf } from "../api/api-error.ts";
import { Icon } from "../shell/icon.tsx";
import { Logo } from "../shell/logo.tsx";
import { KeyedFor } from "../shell/keyed-for.tsx";
import { bindOverlay } from "../shell/overlay.ts";
import { showToast } from "../state/toasts.ts";
import { ConversationItem } from "./conversation-item.tsx";
import "./sidebar.css";

export interface SidebarProps {
  readonly isOverlay: boolean;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** The conversations, newest first; over the chat where there is no room. */
export function Sidebar(props: SidebarProps) {
  const app = useApp();
  const [loadingMore, setLoadingMore] = createSignal(false);
  let sidebar!: HTMLElement;
  onMount(() =>
    bindOverlay(
      sidebar,
      () => props.isOverlay && props.open,
      () => props.onClose(),
    ),
  );
  // Following a link closes the overlay.
  createEffect(() => {
    app.chat.conversation();
    if (props.isOverlay) props.onClose();
  });

  const startNew = () => {
    navigateTo(null);
    props.onClose();
    queueMicrotask(() => document.getElementById("message")?.focus());
  };
  const more = async () => {
    setLoadingMore(true);
    await app.conversations
      .loadMore()
      .catch((error: unknown) => showToast({ text: messageOf(error), tone: "danger" }));
    setLoadingMore(false);
  };

  return (
    <>
      <Show when={props.isOverlay && props.open}>
        <div class="scrim" onClick={() => props.onClose()} />
      </Show>
      <aside
        ref={(element) => (sidebar = element)}
        class="sidebar"
        classList={{ overlay: props.isOverlay, open: props.open }}
        aria-label="Conversations"
        role={props.isOverlay ? "dialog" : "complementary"}
        aria-modal={props.isOverlay ? "true" : undefined}
        inert={!props.open}
        tabindex="-1"
        data-testid="sidebar"
      >
        <div class="brand">
          <Logo />
          <span class="brand-name">Capstan</span>
          <Show when={props.isOverlay}>
            <button
              type="button"
              class="icon-button"
              aria-label="Close the list"
              onClick={() => props.onClose()}
            >
              <Icon name="close" />
            </button>
          </Show>
        </div>
        <button type="button" class="button wide" data-testid="new-chat" onClick={startNew}>
          <Icon name="add" /> New chat
        </button>
        <nav class="conversations" aria-label="Conversation list">
          <ul data-testid="conversation-list">
            <KeyedFor each={app.conversations.shown()} by={({ id }) => id}>
              {(conversation) => (
                <ConversationItem conversation={conversation()} onOpen={() => props.onClose()} />
              )}
            </KeyedFor>
          </ul>
          <Show when={app.conversations.all.isReady() && app.conversations.shown().length === 0}>
            <p class="empty">What you talk about is kept here.</p>
          </Show>
          <Show when={app.conversations.all.error()}>
            {(message) => <p class="empty danger">{message()}</p>}
          </Show>
          <Show when={app.conversations.hasMore()}>
            <button
              type="button"
              class="button quiet wide"
              disabled={loadingMore()}
              onClick={() => void more()}
            >
              Show older ones
            </button>
          </Show>
        </nav>
      </aside>
    </>
  );
}
