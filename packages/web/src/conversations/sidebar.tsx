import { createEffect, onMount, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { navigateTo } from "../state/route.ts";
import { Icon } from "../shell/icon.tsx";
import { Logo } from "../shell/logo.tsx";
import { KeyedFor } from "../shell/keyed-for.tsx";
import { bindOverlay } from "../shell/overlays/overlay.ts";
import { attempt } from "../state/toasts.ts";
import { stateOf } from "../state/conversation-list.ts";
import { ConversationItem } from "./conversation-item.tsx";
import { dateGroups } from "./date-groups.ts";
import { Button, IconButton } from "../shell/button.tsx";
import { createAction } from "../state/action.ts";
import { conversationsTexts } from "../texts/conversations.ts";
import { inboxTexts } from "../texts/inbox.ts";
import { settingsTexts } from "../texts/settings.ts";
import { shellTexts } from "../texts/shell.ts";
import "./sidebar.css";

export interface SidebarProps {
  readonly isOverlay: boolean;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onSearch: () => void;
}

/** The list of conversations, newest first; an overlay on narrow screens. */
export function Sidebar(props: SidebarProps) {
  const app = useApp();
  const more = createAction();
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
    app.chat.conversationId();
    if (props.isOverlay) props.onClose();
  });

  const groups = () =>
    dateGroups(
      app.conversations
        .shown()
        .filter((entry) => app.conversations.isArchiveShown() || stateOf(entry) !== "archived"),
      Date.now(),
    );
  const startNew = () => {
    navigateTo(null);
    props.onClose();
    queueMicrotask(() => document.getElementById("message")?.focus());
  };
  const loadMore = () =>
    more.run(() => attempt(conversationsTexts.notLoaded, app.conversations.loadMore));

  return (
    <>
      <Show when={props.isOverlay && props.open}>
        <div class="scrim" onClick={() => props.onClose()} />
      </Show>
      <aside
        ref={(element) => (sidebar = element)}
        class="sidebar"
        classList={{ overlay: props.isOverlay, open: props.open }}
        aria-label={conversationsTexts.title}
        role={props.isOverlay ? "dialog" : "complementary"}
        aria-modal={props.isOverlay ? "true" : undefined}
        inert={!props.open}
        tabindex="-1"
        data-testid="sidebar"
      >
        <div class="brand row">
          <Logo />
          <span class="brand-name">{shellTexts.product}</span>
          <Show when={props.isOverlay}>
            <IconButton
              icon="close"
              label={conversationsTexts.close}
              onClick={() => props.onClose()}
            />
          </Show>
        </div>
        <Button look="wide" data-testid="new-chat" onClick={startNew}>
          <Icon name="add" /> {conversationsTexts.newChat}
        </Button>
        <Button
          look="wide quiet"
          data-testid="open-search"
          title={conversationsTexts.search.openTitle}
          onClick={() => props.onSearch()}
        >
          <Icon name="search" /> {conversationsTexts.search.open}
        </Button>
        <Show when={app.inbox.count() > 0}>
          <Button
            look="wide quiet"
            data-testid="sidebar-inbox"
            title={inboxTexts.open(app.inbox.count())}
            onClick={() => {
              props.onClose();
              app.showPanel("inbox");
            }}
          >
            <Icon name="inbox" /> {inboxTexts.title} <span class="count">{app.inbox.count()}</span>
          </Button>
        </Show>
        <nav class="conversations" aria-label={conversationsTexts.list}>
          <div data-testid="conversation-list">
            <KeyedFor each={groups()} by={({ title }) => title}>
              {(group) => (
                <section aria-label={group().title}>
                  <h2 class="conversation-group faint">{group().title}</h2>
                  <ul>
                    <KeyedFor each={group().entries} by={({ id }) => id}>
                      {(conversation) => (
                        <ConversationItem
                          conversation={conversation()}
                          onOpen={() => props.onClose()}
                        />
                      )}
                    </KeyedFor>
                  </ul>
                </section>
              )}
            </KeyedFor>
          </div>
          <Show when={app.conversations.all.isReady() && app.conversations.shown().length === 0}>
            <p class="empty">{conversationsTexts.empty}</p>
          </Show>
          <Show when={app.conversations.all.error()}>
            {(message) => <p class="empty danger">{message()}</p>}
          </Show>
          <Show when={app.conversations.hasMore()}>
            <Button look="quiet wide" disabled={more.isBusy()} onClick={() => void loadMore()}>
              {conversationsTexts.showOlder}
            </Button>
          </Show>
          <Button
            look="quiet wide small"
            aria-pressed={app.conversations.isArchiveShown()}
            data-testid="show-archive"
            onClick={() => app.conversations.showArchive(!app.conversations.isArchiveShown())}
          >
            {app.conversations.isArchiveShown()
              ? conversationsTexts.hideArchive
              : conversationsTexts.showArchive}
          </Button>
        </nav>
        <div class="sidebar-foot">
          <Button
            look="wide quiet"
            data-testid="open-settings"
            onClick={() => {
              props.onClose();
              app.showSettings("general");
            }}
          >
            <Icon name="sliders" /> {settingsTexts.dialog.open}
          </Button>
        </div>
      </aside>
    </>
  );
}
