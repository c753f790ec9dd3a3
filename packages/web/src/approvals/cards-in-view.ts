import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";

/** Pixels of a card that are enough to see that it asks, where it is higher than that. */
const enoughPixels = 160;

/** Which of these cards a person sees, as the page scrolls. */
export function createCardsInView(
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
