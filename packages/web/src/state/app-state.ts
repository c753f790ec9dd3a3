import { createContext, createEffect, createSignal, on, onCleanup, useContext } from "solid-js";
import { apiKeyRevision } from "../api/api-key.ts";
import { followSharedEvents } from "../api/shared-events.ts";
import { serverReturns } from "../api/server-presence.ts";
import { createAttachments } from "./attachments.ts";
import { createChat } from "./chat.ts";
import { createInbox } from "./inbox.ts";
import { createMessageQueue } from "./message-queue.ts";
import { createNotifications } from "./notifications.ts";
import { createConversationList, titleOf } from "./conversation-list.ts";
import { createCatalog } from "./catalog.ts";
import { createMessageDrafts } from "./message-drafts.ts";
import { createLanguageChoice, createPreference, createTheme } from "./preferences.ts";
import { client } from "../api/client.ts";
import { inboxTexts } from "../texts/inbox.ts";
import { navigateTo, routedApproval, routedConversation } from "./route.ts";
import { attempt } from "./toasts.ts";
import { createUserPreferences } from "./user-preferences.ts";

/** The sections of the settings. */
export type SettingsSection = "general" | "models" | "agents" | "tools" | "usage" | "data";

export type PanelName = "inbox" | "tools" | "connections" | "variables" | "permissions";

/** The state of the page, shared by its components. */
export type AppState = ReturnType<typeof createAppState>;

const AppContext = createContext<AppState>();

export const AppProvider = AppContext.Provider;

export function useApp(): AppState {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error("useApp is called outside of AppProvider.");
  return app;
}

export function createAppState() {
  /** The panel next to the chat; null if none is open. */
  const [panel, setPanel] = createSignal<PanelName | null>(null);
  /** The variable that is shown in full. */
  const [variable, setVariable] = createSignal<string | null>(null);
  /** The section of the settings that is shown; null if they are closed. */
  const [settings, setSettings] = createSignal<SettingsSection | null>(null);
  const [shortcutsOpen, setShortcutsOpen] = createSignal(false);
  const [mode, setMode] = createPreference("mode");
  const theme = createTheme();
  const language = createLanguageChoice();
  const preferences = createUserPreferences();
  const { draft, setDraft } = createMessageDrafts(routedConversation);
  const attachments = createAttachments(routedConversation);
  const conversations = createConversationList((read) => chat.noteConversation(read));
  const chat = createChat({
    onCreated(conversation) {
      conversations.all.set((before) => [conversation, ...before]);
      navigateTo(conversation.id);
    },
    onTurnChanged: (conversation) => conversations.noteChanged(conversation),
    defaultSwitches: () => preferences.value().switches,
    newModel: () => catalog.model()?.id ?? null,
  });
  const catalog = createCatalog(chat);

  const notifications = createNotifications();
  const inbox = createInbox((requests) =>
    notifications.notify(requests, {
      chatOf: ({ conversation }) => {
        const found = conversations.all.value().find(({ id }) => id === conversation);
        return found && titleOf(found);
      },
      onClick: () => void setPanel("inbox"),
    }),
  );

  createEffect(
    on(routedConversation, (id) => {
      // The address changed because this page created the conversation, which is already open.
      if (id !== null && id === chat.conversation()?.id) return;
      void chat.open(id);
      setVariable(null);
    }),
  );
  createEffect(
    on([apiKeyRevision, serverReturns], ([key], before) => {
      void catalog.refresh();
      void preferences.refresh();
      void conversations.all.refresh();
      void inbox.refresh();
      const wasRefused = before !== undefined && before[0] !== key;
      if (wasRefused || chat.status().type === "failed") void chat.open(routedConversation());
      else if (before !== undefined) void chat.synchronize();
    }),
  );

  createEffect(
    on(apiKeyRevision, () => {
      const over = new AbortController();
      followSharedEvents((event) => {
        conversations.note(event);
        chat.note(event);
        inbox.note(event);
      }, over.signal);
      onCleanup(() => over.abort());
    }),
  );

  /** Opens a chat at one of its runs, or at its end for null. */
  function openAt(conversation: string, run: string | null): void {
    chat.showNext(conversation, run);
    navigateTo(conversation);
  }

  /** Opens the chat of a request, or the inbox if a program made the request. */
  async function openApproval(id: string): Promise<void> {
    await attempt(inboxTexts.notOpened, async () => {
      const { conversation, run, program } = await client.approval(id);
      if (routedApproval() !== id) return;
      if (conversation !== null && program === undefined) return openAt(conversation, run);
      setPanel("inbox");
      navigateTo(null);
    });
  }

  createEffect(
    on(routedApproval, (id) => {
      if (id !== null) void openApproval(id);
    }),
  );

  return {
    openAt,
    attachments,
    catalog,
    chat,
    conversations,
    inbox,
    notifications,
    queue: createMessageQueue(routedConversation),
    theme,
    preferences,
    settings,
    showSettings: (section: SettingsSection | null) => void setSettings(section),
    shortcutsOpen,
    showShortcuts: (open: boolean) => void setShortcutsOpen(open),
    language,
    /** Whether the page also shows token counts, JSON and the data of events. */
    isExpert: () => mode() === "expert",
    setExpert: (on: boolean) => setMode(on ? "expert" : null),
    panel,
    showPanel: (name: PanelName | null) => void setPanel(name),
    variable,
    showVariable: (name: string | null) => {
      setVariable(name);
      if (name !== null) setPanel("variables");
    },
    draft,
    setDraft,
  };
}
