import { Show } from "solid-js";
import { pairingFailure } from "../api/pairing.ts";
import { useApp } from "../state/app-state.ts";

/** Says that this browser cannot approve calls, and how to pair it. */
export function PairingNotice() {
  const { catalog } = useApp();
  const isLimited = () => catalog.info.value()?.rights.includes("approve") === false;
  return (
    <Show when={pairingFailure() !== null || isLimited()}>
      <p class="pairing-notice" role="status" data-testid="pairing-notice">
        {pairingFailure() ?? (
          <>
            This browser may ask, but not approve calls. To pair it, run <code>capstan pair</code>{" "}
            on the server's machine, and open the link here.
          </>
        )}
      </p>
    </Show>
  );
}

/** Says whose answers count. */
export function ApproversNote() {
  const { catalog } = useApp();
  return (
    <Show when={catalog.info.value()}>
      {(info) => (
        <p class="panel-text" data-testid="approvers">
          {info().approvals_from === "anyone"
            ? "Calls are approved by anyone who may use this server."
            : "Calls are approved in paired browsers and terminals, and with keys that have the right to approve."}
        </p>
      )}
    </Show>
  );
}
