import { type Accessor, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";

/** Whether answers of this browser may allow calls. Until the server has said so they may: it checks each. */
export function useMayAllow(): Accessor<boolean> {
  const { catalog } = useApp();
  return () => catalog.info.value()?.rights.includes("approve") !== false;
}

/** Says beside buttons that are disabled why they are, and what to do. */
export function MayNotAllow(props: { readonly mayAllow: boolean; readonly still: string }) {
  return (
    <Show when={!props.mayAllow}>
      <p class="approval-covers soft" data-testid="may-not-allow">
        This browser is not paired: you can {props.still} here, but not more. To pair it, run{" "}
        <code>capstan pair</code> on the server's machine, and open the link here.
      </p>
    </Show>
  );
}
