import type { AgentView, ModelView, ServerInfo, ToolGroupView } from "@capstan/contract";
import { createMemo } from "solid-js";
import { client } from "../api/client.ts";
import { createLoaded } from "./loaded.ts";
import { createPreference } from "./preferences.ts";

/** The id of the offline model. It is not an AI, so the page suggests commands for it. */
export const offlineModel = "capstan/offline";

/** The model of the open chat. */
export interface ModelOfChat {
  /** The id of its model; null if the chat is new or has none of its own. */
  readonly model: () => string | null;
  /** Stores a model for the chat. Returns false if the chat is new. */
  readonly setModel: (id: string) => boolean;
}

/** Creates the state of the server's models and tools, and of the chosen model. */
export function createCatalog(chat: ModelOfChat) {
  const info = createLoaded<ServerInfo | null>(null, () => client.info());
  const models = createLoaded<readonly ModelView[]>([], () => client.models());
  const groups = createLoaded<readonly ToolGroupView[]>([], () => client.toolGroups());
  const agents = createLoaded<readonly AgentView[]>([], async () =>
    (await client.agents()).filter((entry) => entry.object === "agent"),
  );
  const [chosen, choose] = createPreference("model");

  /** The model of the chat, or the one chosen for new chats, or the default of the server. */
  const model = createMemo(() => {
    const all = models.value();
    const find = (id: string | null) => all.find((entry) => entry.id === id);
    return (
      find(chat.model()) ?? find(chosen()) ?? all.find((entry) => entry.default) ?? all[0] ?? null
    );
  });

  return {
    info,
    models,
    groups,
    agents,
    model,
    /** The agent that is chosen as the model. */
    agent: () => agents.value().find(({ id }) => id === model()?.id),
    isOffline: () => model()?.id === offlineModel,
    /** Chooses the model of the open chat or, in a new chat, of all new chats. */
    chooseModel: (id: string) => {
      if (chat.setModel(id)) return;
      // If the user chooses the default model, nothing is stored, so that a later default applies.
      choose(models.value().find((entry) => entry.id === id)?.default ? null : id);
    },
    refresh: async () =>
      void (await Promise.all([info, models, groups, agents].map((part) => part.refresh()))),
  };
}
