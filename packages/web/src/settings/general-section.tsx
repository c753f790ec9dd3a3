import { For, Show } from "solid-js";
import { NotificationSwitch } from "../inbox/notification-switch.tsx";
import { Button } from "../shell/button.tsx";
import { useApp } from "../state/app-state.ts";
import type { Theme } from "../state/preferences.ts";
import { LanguageField } from "./language-field.tsx";
import { InstructionsField } from "./instructions-field.tsx";
import { settingsTexts } from "../texts/settings.ts";
import { shortcutTexts } from "../texts/shortcuts.ts";

const texts = settingsTexts.general;
const themes: readonly Theme[] = ["system", "light", "dark"];
const modes = ["plain", "expert"] as const;

/** Appearance and notifications: settings of this browser. */
export function GeneralSection() {
  const app = useApp();
  return (
    <>
      <section class="setting">
        <fieldset class="choices">
          <legend class="setting-title">{texts.theme}</legend>
          <div class="choice-row flow">
            <For each={themes}>
              {(theme) => (
                <label class="choice">
                  <input
                    type="radio"
                    name="theme"
                    value={theme}
                    checked={app.theme.chosen() === theme}
                    data-testid={`theme-${theme}`}
                    onChange={() => app.theme.choose(theme)}
                  />
                  <span>{texts.themes[theme]}</span>
                </label>
              )}
            </For>
          </div>
        </fieldset>
      </section>
      <section class="setting">
        <fieldset class="choices">
          <legend class="setting-title">{texts.mode}</legend>
          <div class="choice-row flow">
            <For each={modes}>
              {(mode) => (
                <label class="choice">
                  <input
                    type="radio"
                    name="mode"
                    value={mode}
                    checked={app.isExpert() === (mode === "expert")}
                    data-testid={`mode-${mode}`}
                    onChange={() => app.setExpert(mode === "expert")}
                  />
                  <span>{texts.modes[mode]}</span>
                </label>
              )}
            </For>
          </div>
          <p class="setting-about">{texts.aboutMode}</p>
        </fieldset>
      </section>
      <section class="setting">
        <LanguageField />
      </section>
      <section class="setting">
        <InstructionsField />
      </section>
      <section class="setting">
        <h3 class="setting-title">{texts.notifications}</h3>
        <Show
          when={app.notifications.state() !== "unavailable"}
          fallback={<p class="soft">{texts.noNotifications}</p>}
        >
          <NotificationSwitch />
        </Show>
      </section>
      <section class="setting">
        <Button
          look="small"
          data-testid="open-shortcuts"
          onClick={() => {
            app.showSettings(null);
            app.showShortcuts(true);
          }}
        >
          {shortcutTexts.open} <kbd>?</kbd>
        </Button>
      </section>
    </>
  );
}
