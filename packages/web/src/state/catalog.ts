import type { ModelView, ServerInfo, ToolGroupView } from "@capstan/contract";
import { createMemo } from "solid-js";
import { client } from "../api/client.ts";
import { createLoaded } from "./loaded.ts";
import { createPreference } from "./preferences.ts";

/** The id of the offline model. It is not an AI, so the page suggests commands for it. */
export const offlineModel = "capstan/offline";

/** Creates the state of the server's models and tools, and of the model that this browser chose. */
export function createCatalog() {
  const info = createLoaded<ServerInfo | null>(null, () => client.info());
  const models = createLoaded<readonly ModelView[]>([], () => client.models());
  const groups = createLoaded<readonly ToolGroupView[]>([], () => client.toolGroups());
  const [chosen, choose] = createPreference("model");

  /** The chosen model if the server still has it, otherwise its default. */
  const model = createMemo(() => {
    const all = models.value();
    const wanted = all.find((entry) => entry.id === chosen());
    return wanted ?? all.find((entry) => entry.default) ?? all[0] ?? null;
  });

  return {
    info,
    models,
    groups,
    model,
    isOffline: () => model()?.id === offlineModel,
    // If the user chooses the default model, nothing is stored, so that a later default applies.
    chooseModel: (id: string) =>
      choose(models.value().find((entry) => entry.id === id)?.default ? null : id),
    refresh: async () =>
      void (await Promise.all([info, models, groups].map((part) => part.refresh()))),
  };
}
