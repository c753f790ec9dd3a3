import { Show } from "solid-js";
import { pairingFailure } from "../api/pairing.ts";
import { useApp } from "../state/app-state.ts";
import { settingsTexts } from "../texts/settings.ts";

/** Shows that this browser cannot approve calls, and how to pair it. */
export function PairingNotice() {
  const { catalog } = useApp();
  const isLimited = () => catalog.info.value()?.rights.includes("approve") === false;
  return (
    <Show when={pairingFailure() !== null || isLimited()}>
      <p class="pairing-notice" role="status" data-testid="pairing-notice">
        {pairingFailure() ?? (
          <>
            {settingsTexts.pairing.before} <code>capstan pair</code> {settingsTexts.pairing.after}
          </>
        )}
      </p>
    </Show>
  );
}

/** Shows who can approve calls. */
export function ApproversNote() {
  const { catalog } = useApp();
  return (
    <Show when={catalog.info.value()}>
      {(info) => (
        <p class="panel-text" data-testid="approvers">
          {info().approvals_from === "anyone"
            ? settingsTexts.pairing.anyone
            : settingsTexts.pairing.paired}
        </p>
      )}
    </Show>
  );
}
