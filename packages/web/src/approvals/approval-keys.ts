import { createEffect, createSignal, on, onCleanup, type Accessor } from "solid-js";

const [openCards, setOpenCards] = createSignal<readonly HTMLElement[]>([]);
/** The cards that can be answered, in page order. */
export const cardsToAnswer = openCards;
const [focusedCard, setFocusedCard] = createSignal<Element | null>(null);

/**
 * Answers a card by key: Alt and a letter press the button with that `data-key`, in the card that
 * has the focus, else in the first one that is open.
 *
 * @returns whether the keys answer this card, so that only its buttons show key hints
 */
export function bindApprovalKeys(
  card: Accessor<HTMLElement>,
  isOpen: Accessor<boolean>,
): Accessor<boolean> {
  const [bound, setBound] = createSignal<HTMLElement>();
  // Register in an effect: only then is the card in the document and its order known.
  createEffect(
    on(isOpen, (open) => {
      if (!open) return;
      const element = card();
      setBound(element);
      add(element);
      onCleanup(() => remove(element));
    }),
  );
  return () => bound() !== undefined && bound() === answeredCard();
}

function answeredCard(): HTMLElement | undefined {
  return (
    openCards().find((card) => card === focusedCard()) ??
    // A card under an open panel must not be answered.
    openCards().find((card) => card.closest("[inert]") === null)
  );
}

function add(card: HTMLElement): void {
  if (openCards().length === 0) {
    noteFocus(document.activeElement);
    document.addEventListener("keydown", onKey);
    document.addEventListener("focusin", onFocusIn);
    document.addEventListener("focusout", onFocusOut);
  }
  setOpenCards((cards) => [...cards, card].toSorted(inPageOrder));
}

function remove(card: HTMLElement): void {
  const left = setOpenCards((cards) => cards.filter((one) => one !== card));
  if (left.length > 0) return;
  document.removeEventListener("keydown", onKey);
  document.removeEventListener("focusin", onFocusIn);
  document.removeEventListener("focusout", onFocusOut);
}

const inPageOrder = (one: Node, other: Node) =>
  one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;

const noteFocus = (element: Element | null) =>
  void setFocusedCard(element?.closest("[data-approval]") ?? null);
const onFocusIn = ({ target }: FocusEvent) => noteFocus(target instanceof Element ? target : null);
const onFocusOut = ({ relatedTarget }: FocusEvent) => {
  // If the window lost the focus, no keys arrive, and the card regains the focus with the window.
  if (relatedTarget === null && document.hasFocus()) setFocusedCard(null);
};

function onKey(event: KeyboardEvent): void {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
  const card = answeredCard();
  // Compare the physical key: with Alt a letter may produce another character.
  const button = card?.querySelector<HTMLButtonElement>(
    `button[data-key="${CSS.escape(event.code)}"]`,
  );
  if (card === undefined || button == null) return;
  event.preventDefault();
  if (event.code === "KeyR") {
    const reason = card.querySelector<HTMLInputElement>("form input");
    // The first press focuses the reason, the second rejects.
    if (reason !== null && document.activeElement !== reason) return reason.focus();
  }
  // A folded card cannot be allowed: the key focuses the button that unfolds it.
  if (button.disabled) return card.querySelector<HTMLElement>(showAllButton)?.focus();
  button.click();
}

const showAllButton = 'button[data-key="KeyV"]';
