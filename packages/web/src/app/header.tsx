import { Show } from "solid-js";
import { serverLost } from "../api/server-presence.ts";
import { ThemeToggle } from "../settings/theme-toggle.tsx";
import { Icon, type IconName } from "../shell/icon.tsx";
import { useApp, type PanelName } from "../state/app-state.ts";
import { titleOf } from "../state/conversation-list.ts";
import { chatHref, routedPage } from "../state/route.ts";
import { IconButton } from "../shell/button.tsx";

export interface HeaderProps {
  readonly isNarrow: boolean;
  readonly menuOpen: boolean;
  readonly onMenu: () => void;
}

/** For a conversation whose own title is not known. */
const titlesOf = { loading: "Opening…", missing: "Not found", failed: "Not opened" } as const;

/** The conversation's title, the connection, and the doors to the panels. */
export function Header(props: HeaderProps) {
  const app = useApp();
  const isScripts = () => routedPage() === "scripts";
  const title = () => {
    if (isScripts()) return "Scripts";
    const { type } = app.chat.status();
    if (type !== "ready") return titlesOf[type];
    const open = app.chat.conversation();
    if (open === null) return "New chat";
    const listed = app.conversations.all.value().find((entry) => entry.id === open.id);
    return titleOf(listed ?? open);
  };
  const isReconnecting = () => serverLost() || app.chat.active()?.stream() === "reconnecting";

  return (
    <header class="header row">
      <Show when={props.isNarrow}>
        <IconButton
          icon="menu"
          label="Conversations"
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
            <span class="spinner" /> Reconnecting…
          </span>
        </Show>
      </span>
      <nav class="header-actions" aria-label="Panels">
        <Show when={isScripts() || app.catalog.info.value()?.scripts === true}>
          <a
            class="icon-button"
            classList={{ active: isScripts() }}
            href={isScripts() ? chatHref() : "#/scripts"}
            aria-label={isScripts() ? "Back to the chat" : "Scripts"}
            title={isScripts() ? "Back to the chat" : "Scripts"}
            data-testid="open-scripts"
          >
            <Icon name="script" />
          </a>
        </Show>
        <PanelButton panel="tools" icon="tools" label="Tools" />
        <PanelButton panel="variables" icon="variables" label="Variables" />
        <PanelButton panel="permissions" icon="hand" label="Permissions" />
        <ThemeToggle />
      </nav>
    </header>
  );
}

function PanelButton(props: {
  readonly panel: PanelName;
  readonly icon: IconName;
  readonly label: string;
}) {
  const app = useApp();
  const isOpen = () => app.panel() === props.panel;
  return (
    <button
      type="button"
      class="icon-button"
      classList={{ active: isOpen() }}
      aria-label={props.label}
      aria-expanded={isOpen()}
      title={props.label}
      data-testid={`open-${props.panel}`}
      onClick={() => app.showPanel(isOpen() ? null : props.panel)}
    >
      <Icon name={props.icon} />
    </button>
  );
}
