import {
  type Accessor,
  createEffect,
  createMemo,
  createSignal,
  on,
  onCleanup,
  Show,
} from "solid-js";
import { Icon } from "../shell/icon.tsx";
import { cardsToAnswer } from "./approval-keys.ts";
import { approvalsTexts } from "../texts/approvals.ts";

/** Shows, above the message field, how many calls need approval if a card is out of view; scrolls to the first such card. */
export function ApprovalBar() {
  // The panel with all requests also shows the cards of this chat.
  const cards = createMemo(() => cardsToAnswer().filter((card) => card.closest(".panel") === null));
  const inView = createCardsInView(cards);
  const hidden = () => cards().filter((card) => !inView().has(card));
  const show = () => {
    const [card] = hidden();
    card?.scrollIntoView({ block: "center" });
    // Focus the card, not a button in it: another Enter must not answer an unread card.
    card?.focus({ preventScroll: true });
  };
  return (
    <Show when={hidden().length > 0}>
      <button type="button" class="approval-bar row" data-testid="approval-bar" onClick={show}>
        <Icon name="hand" size={16} />
        {approvalsTexts.bar.pending(cards().length)}
        <span class="link-button">{approvalsTexts.bar.show}</span>
      </button>
    </Show>
  );
}

/** A tall card is in view if this many pixels are visible. */
const enoughPixels = 160;

/** The cards that are in view, updated as the page scrolls. */
function createCardsInView(
  cards: Accessor<readonly HTMLElement[]>,
): Accessor<ReadonlySet<Element>> {
  const [inView, setInView] = createSignal<ReadonlySet<Element>>(new Set());
  createEffect(
    on(cards, (shown) => {
      if (shown.length === 0) return void setInView(new Set<Element>());
      const observer = new IntersectionObserver(
        (entries) => {
          const now = new Set([...inView()].filter((card) => shown.some((one) => one === card)));
          for (const { target, intersectionRatio, intersectionRect } of entries) {
            if (intersectionRatio >= 0.6 || intersectionRect.height >= enoughPixels)
              now.add(target);
            else now.delete(target);
          }
          setInView(now);
        },
        // Many thresholds, because cards can be higher than the window.
        { threshold: Array.from({ length: 21 }, (_, index) => index / 20) },
      );
      for (const card of shown) observer.observe(card);
      onCleanup(() => observer.disconnect());
    }),
  );
  return inView;
}
