import { onCleanup } from "solid-js";

const rows = new Set<HTMLElement>();

/**
 * Answers a card by key: Alt and a letter press the button with that `data-key`, in the card that
 * has the focus, else in the first one on the page.
 */
export function approvalKeys(row: HTMLElement): void {
  if (rows.size === 0) document.addEventListener("keydown", onKey);
  rows.add(row);
  onCleanup(() => {
    rows.delete(row);
    if (rows.size === 0) document.removeEventListener("keydown", onKey);
  });
}

function onKey(event: KeyboardEvent): void {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
  const cards = [...document.querySelectorAll<HTMLElement>("[data-approval]")];
  const card = cards.find((one) => one.contains(document.activeElement)) ?? cards[0];
  // By the key's place: with Alt a letter may come out as another sign.
  const button = card?.querySelector<HTMLButtonElement>(
    `button[data-key="${CSS.escape(event.code)}"]`,
  );
  if (card === undefined || button == null) return;
  event.preventDefault();
  if (event.code === "KeyR") {
    const reason = card.querySelector<HTMLInputElement>("form input");
    // The first press leads to the reason, the second refuses.
    if (reason !== null && document.activeElement !== reason) return reason.focus();
  }
  button.click();
}
