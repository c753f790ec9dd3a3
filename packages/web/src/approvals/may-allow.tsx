import { type Accessor, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { approvalsTexts } from "../texts/approvals.ts";

/**
 * Whether this browser may allow calls. True until the rights are loaded; the server checks each
 * answer anyway.
 */
export function useMayAllow(): Accessor<boolean> {
  const { catalog } = useApp();
  return () => catalog.info.value()?.rights.includes("approve") !== false;
}

/** Explains why the buttons are disabled, and how to pair the browser. */
export function MayNotAllow(props: { readonly mayAllow: boolean; readonly still: string }) {
  return (
    <Show when={!props.mayAllow}>
      <p class="approval-covers soft" data-testid="may-not-allow">
        {approvalsTexts.unpaired.limit(props.still)} {approvalsTexts.unpaired.pair.before}{" "}
        <code>capstan pair</code> {approvalsTexts.unpaired.pair.after}
      </p>
    </Show>
  );
}
