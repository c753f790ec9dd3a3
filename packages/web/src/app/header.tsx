import { Show } from "solid-js";
import { serverLost } from "../api/server-presence.ts";
import { ThemeToggle } from "../settings/theme-toggle.tsx";
import { Icon, type IconName } from "../shell/icon.tsx";
import { useApp, type PanelName } from "../state/app-state.ts";
import { titleOf } from "../state/conversation-list.ts";
import { chatHref, routedPage } from "../state/route.ts";
import { IconButton } from "../shell/button.tsx";
import { connectionsTexts } from "../texts/connections.ts";
import { inboxTexts } from "../texts/inbox.ts";
import { shellTexts } from "../texts/shell.ts";

export interface HeaderProps {
  readonly isNarrow: boolean;
  readonly menuOpen: boolean;
  readonly onMenu: () => void;
}

/** Titles to show while the conversation's title is unknown. */
const titlesOf = {
  loading: () => shellTexts.opening,
  missing: () => shellTexts.notFound,
  failed: () => shellTexts.notOpened,
} as const;

/** The page header: the conversation's title, the connection state and the panel buttons. */
export function Header(props: HeaderProps) {
  const app = useApp();
  const isScripts = () => routedPage() === "scripts";
  const title = () => {
    if (isScripts()) return shellTexts.scripts;
    const { type } = app.chat.status();
    if (type !== "ready") return titlesOf[type]();
    const open = app.chat.conversation();
    if (open === null) return shellTexts.newChat;
    const listed = app.conversations.all.value().find((entry) => entry.id === open.id);
    return titleOf(listed ?? open);
  };
  const isReconnecting = () => serverLost() || app.chat.active()?.stream() === "reconnecting";

  return (
    <header class="header row">
      <Show when={props.isNarrow}>
        <IconButton
          icon="menu"
          label={shellTexts.conversations}
          aria-expanded={props.menuOpen}
          data-testid="open-sidebar"
          onClick={() => props.onMenu()}
        />
      </Show>
      <h1 class="header-title clipped" data-testid="conversation-title">
        {title()}
      </h1>
      <span role="status" class="connection">
        <Show when={isReconnecting()}>
          <span class="pill warning" data-testid="reconnecting">
            <span class="spinner" /> {shellTexts.reconnecting}
          </span>
        </Show>
      </span>
      <nav class="header-actions" aria-label={shellTexts.panels}>
        <Show when={isScripts() || app.catalog.info.value()?.scripts === true}>
          <a
            class="icon-button"
            classList={{ active: isScripts() }}
            href={isScripts() ? chatHref() : "#/scripts"}
            aria-label={isScripts() ? shellTexts.backToChat : shellTexts.scripts}
            title={isScripts() ? shellTexts.backToChat : shellTexts.scripts}
            data-testid="open-scripts"
          >
            <Icon name="script" />
          </a>
        </Show>
        <Show when={app.inbox.count() > 0 || app.panel() === "inbox"}>
          <PanelButton
            panel="inbox"
            icon="inbox"
            label={app.inbox.count() > 0 ? inboxTexts.open(app.inbox.count()) : inboxTexts.title}
            count={app.inbox.count()}
          />
        </Show>
        <PanelButton panel="tools" icon="tools" label={shellTexts.tools} />
        <Show when={app.catalog.info.value()?.rights.includes("admin")}>
          <PanelButton panel="connections" icon="plug" label={connectionsTexts.title} />
        </Show>
        <PanelButton panel="variables" icon="variables" label={shellTexts.variables} />
        <PanelButton panel="permissions" icon="hand" label={shellTexts.permissions} />
        <ThemeToggle />
      </nav>
    </header>
  );
}

function PanelButton(props: {
  readonly panel: PanelName;
  readonly icon: IconName;
  readonly label: string;
  /** Shown next to the icon if it is not 0. */
  readonly count?: number;
}) {
  const app = useApp();
  const isOpen = () => app.panel() === props.panel;
  return (
    <button
      type="button"
      class="icon-button with-count"
      classList={{ active: isOpen() }}
      aria-label={props.label}
      aria-expanded={isOpen()}
      title={props.label}
      data-testid={`open-${props.panel}`}
      onClick={() => app.showPanel(isOpen() ? null : props.panel)}
    >
      <Icon name={props.icon} />
      <Show when={props.count}>
        {(count) => (
          <span class="count" aria-hidden="true">
            {count()}
          </span>
        )}
      </Show>
    </button>
  );
}
