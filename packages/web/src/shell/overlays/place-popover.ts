/**
 * Places an open popover below its button or, if there is no room, above it.
 *
 * @param align the edges of both that are aligned, if the popover fits
 */
export function placePopover(
  button: HTMLElement,
  popover: HTMLElement,
  align: "left" | "right",
): void {
  const { bottom, left, right, top } = button.getBoundingClientRect();
  const { offsetHeight, offsetWidth } = popover;
  const isBelow = bottom + offsetHeight + 8 < innerHeight;
  const start = align === "left" ? left : right - offsetWidth;
  popover.style.top = `${Math.max(8, isBelow ? bottom + 4 : top - offsetHeight - 4)}px`;
  popover.style.left = `${Math.max(8, Math.min(start, innerWidth - 8 - offsetWidth))}px`;
}
