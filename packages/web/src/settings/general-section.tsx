import { For, Show } from "solid-js";
import { NotificationSwitch } from "../inbox/notification-switch.tsx";
import { Button } from "../shell/button.tsx";
import { Toggle } from "../shell/toggle.tsx";
import { useApp } from "../state/app-state.ts";
import type { Theme } from "../state/preferences.ts";
import { InstructionsField } from "./instructions-field.tsx";
import { settingsTexts } from "../texts/settings.ts";
import { shortcutTexts } from "../texts/shortcuts.ts";

const texts = settingsTexts.general;
const themes: readonly Theme[] = ["system", "light", "dark"];

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
        <Toggle
          label={texts.details}
          detail={texts.aboutDetails}
          isOn={app.showsDetails()}
          testId="show-details"
          onChange={(on) => app.showDetails(on)}
        />
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
