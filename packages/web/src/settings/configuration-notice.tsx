import { Show } from "solid-js";
import { useApp } from "../state/app-state.ts";

/** Says that a changed settings file waits until a user accepts it. */
export function ConfigurationNotice() {
  const { catalog } = useApp();
  return (
    <Show when={catalog.info.value()?.configuration_waits}>
      <p class="pairing-notice" role="status" data-testid="configuration-notice">
        The settings file allows more than what was accepted, so it does not apply. To look at it
        and accept it, run <code>capstan config accept</code> on the server's machine, and start the
        server again.
      </p>
    </Show>
  );
}
