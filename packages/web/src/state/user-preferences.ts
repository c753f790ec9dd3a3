import type { PreferencesUpdate, PreferencesView } from "@capstan/contract";
import { client } from "../api/client.ts";
import { createLoaded } from "./loaded.ts";
import { noSwitches } from "./switches.ts";
import { attempt } from "./toasts.ts";
import { settingsTexts } from "../texts/settings.ts";

const none: PreferencesView = {
  object: "preferences",
  switches: noSwitches,
  favorite_models: [],
  instructions: "",
};

/** Creates the state of the settings that the server stores for the user. */
export function createUserPreferences() {
  const loaded = createLoaded<PreferencesView>(none, () => client.preferences());

  /** Shows a change at once, and undoes it if it could not be saved. */
  async function change(update: PreferencesUpdate): Promise<boolean> {
    loaded.set((before) => ({ ...before, ...update }));
    const isSaved = await attempt(settingsTexts.notSaved, async () => {
      const saved = await client.changePreferences(update);
      loaded.set(() => saved);
    });
    if (!isSaved) void loaded.refresh();
    return isSaved;
  }

  return {
    value: loaded.value,
    refresh: loaded.refresh,
    change,
    isFavorite: (model: string) => loaded.value().favorite_models.includes(model),
    switchFavorite: (model: string) => {
      const now = loaded.value().favorite_models;
      const rest = now.filter((id) => id !== model);
      return change({ favorite_models: rest.length < now.length ? rest : [...now, model] });
    },
  };
}
