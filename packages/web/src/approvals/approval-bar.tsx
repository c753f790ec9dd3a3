import { Show } from "solid-js";
import { useApp } from "../app/app-state.ts";
import { Icon } from "../shell/icon.tsx";
import { pendingApprovals } from "./pending-approvals.ts";

/** Says above the message field that calls wait for a person, and leads to the first. */
export function ApprovalBar() {
  const { chat } = useApp();
  const count = () => pendingApprovals(chat.active()?.state()).length;
  const show = () => {
    const card = document.querySelector<HTMLElement>("[data-approval]");
    card?.scrollIntoView({ block: "center" });
    // The card, not a button in it: one more Enter must not answer what was not read.
    card?.focus({ preventScroll: true });
  };
  return (
    <Show when={count() > 0}>
      <button type="button" class="approval-bar" data-testid="approval-bar" onClick={show}>
        <Icon name="hand" size={16} />
        {count() === 1 ? "One call waits for your word" : `${count()} calls wait for your word`}
        <span class="link-button">Show</span>
      </button>
    </Show>
  );
}
