import { type Accessor, createEffect, createSignal, on, onCleanup, Show } from "solid-js";
import { Icon } from "../shell/icon.tsx";
import { cardsToAnswer } from "./approval-keys.ts";

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

/** Pixels of a card that are enough to see that it asks, where it is higher than that. */
const enoughPixels = 160;

/** Which of these cards a person sees, as the page scrolls. */
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
        // Often enough for cards that are higher than the window.
        { threshold: Array.from({ length: 21 }, (_, index) => index / 20) },
      );
      for (const card of shown) observer.observe(card);
      onCleanup(() => observer.disconnect());
    }),
  );
  return inView;
}
