import { createMemo, createSignal, lazy, onCleanup, onMount, Show, Suspense } from "solid-js";
import { ApiKeyDialog } from "../settings/api-key-dialog.tsx";
import { ChatPage } from "../chat/chat-page.tsx";
import { bindSearchKey, SearchDialog } from "../conversations/search-dialog.tsx";
import { Sidebar } from "../conversations/sidebar.tsx";
import { returnFromSignIn } from "../connections/return-from-sign-in.ts";
import { createMediaQuery } from "../shell/media-query.ts";
import { guardDrafts } from "../scripts/editor/drafts.ts";
import { ConfigurationNotice } from "../settings/configuration-notice.tsx";
import { PairingNotice } from "../settings/pairing-notice.tsx";
import { ScriptsPage } from "../scripts/scripts-page.tsx";
import { ToastList } from "../shell/toast-list.tsx";
import { AppProvider, type AppState, createAppState } from "../state/app-state.ts";
import { Header } from "./header.tsx";
import { routedPage } from "../state/route.ts";
import { bindShortcutsKey, ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { SidePanel } from "./side-panel.tsx";
import { shellTexts } from "../texts/shell.ts";
import "./app.css";

/** Loaded when the user opens the settings for the first time. */
const SettingsDialog = lazy(async () => ({
  default: (await import("../settings/settings-dialog.tsx")).SettingsDialog,
}));

export function App() {
  const app = createAppState();
  const isNarrow = createMediaQuery("(max-width: 760px)");
  const isMedium = createMediaQuery("(max-width: 1080px)");
  const [menuOpen, setMenuOpen] = createSignal(false);
  const [isSearching, setSearching] = createSignal(false);
  const settingsOpened = createMemo<boolean>((was) => was || app.settings() !== null, false);
  const overlay = () => (isNarrow() && menuOpen()) || (isMedium() && app.panel() !== null);
  onMount(() => {
    bindStopKey(app);
    guardDrafts(window);
    bindSearchKey(() => setSearching(true));
    void returnFromSignIn().then((hasReturned) => {
      if (hasReturned) app.showPanel("connections");
    });
    bindShortcutsKey(() => app.showShortcuts(true));
  });

  return (
    <AppProvider value={app}>
      <a
        class="skip-link"
        href="#message"
        inert={overlay()}
        onClick={(event) => {
          // The address names the conversation, so the link must not change it.
          event.preventDefault();
          document.getElementById("message")?.focus();
        }}
      >
        {shellTexts.skip}
      </a>
      <div class="app" classList={{ "with-panel": app.panel() !== null && !isMedium() }}>
        <Sidebar
          isOverlay={isNarrow()}
          open={!isNarrow() || menuOpen()}
          onClose={() => setMenuOpen(false)}
          onSearch={() => setSearching(true)}
        />
        <div class="main" inert={overlay()}>
          <div>
            <Header isNarrow={isNarrow()} menuOpen={menuOpen()} onMenu={() => setMenuOpen(true)} />
            <PairingNotice />
            <ConfigurationNotice />
          </div>
          <Show when={routedPage() === "scripts"} fallback={<ChatPage />}>
            <ScriptsPage />
          </Show>
        </div>
        <Show when={app.panel()}>
          {(panel) => <SidePanel panel={panel()} isOverlay={isMedium()} />}
        </Show>
      </div>
      <ShortcutsDialog open={app.shortcutsOpen()} onClose={() => app.showShortcuts(false)} />
      <SearchDialog open={isSearching()} onClose={() => setSearching(false)} />
      <Show when={settingsOpened()}>
        <Suspense>
          <SettingsDialog />
        </Suspense>
      </Show>
      <ToastList />
      <ApiKeyDialog />
    </AppProvider>
  );
}

/** Escape closes the panel, or else stops the turn, unless a dialog or an edited field handles it. */
function bindStopKey(app: AppState): void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    // A repeated key press has already closed an inner element.
    if (event.repeat) return;
    // Escape must not stop a run that is not shown.
    if (routedPage() !== "chat") return;
    if (document.querySelector("dialog[open]") !== null) return;
    if (app.panel() !== null) app.showPanel(null);
    else if (app.chat.active() !== null) void app.chat.stop();
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", onKey);
  onCleanup(() => document.removeEventListener("keydown", onKey));
}
