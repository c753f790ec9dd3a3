import { Show } from "solid-js";
import { Icon } from "../shell/icon.tsx";
import { cardsToAnswer } from "./approval-keys.ts";
import { createCardsInView } from "./cards-in-view.ts";

/** Says above the message field that calls wait for a person, where not all of their cards are in sight, and leads to the first that is not. */
export function ApprovalBar() {
  const inView = createCardsInView(cardsToAnswer);
  const hidden = () => cardsToAnswer().filter((card) => !inView().has(card));
  const show = () => {
    const [card] = hidden();
    card?.scrollIntoView({ block: "center" });
    // The card, not a button in it: one more Enter must not answer what was not read.
    card?.focus({ preventScroll: true });
  };
  return (
    <Show when={hidden().length > 0}>
      <button type="button" class="approval-bar row" data-testid="approval-bar" onClick={show}>
        <Icon name="hand" size={16} />
        {cardsToAnswer().length === 1
          ? "One call waits for your word"
          : `${cardsToAnswer().length} calls wait for your word`}
        <span class="link-button">Show</span>
      </button>
    </Show>
  );
}
