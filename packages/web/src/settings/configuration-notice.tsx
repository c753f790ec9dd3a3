import { Show } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { settingsTexts } from "../texts/settings.ts";

/** Shows that a changed settings file does not apply until a user accepts it. */
export function ConfigurationNotice() {
  const { catalog } = useApp();
  return (
    <Show when={catalog.info.value()?.configuration_waits}>
      <p class="pairing-notice" role="status" data-testid="configuration-notice">
        {settingsTexts.configuration.before} <code>capstan config accept</code>{" "}
        {settingsTexts.configuration.after}
      </p>
    </Show>
  );
}
