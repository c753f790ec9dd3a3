/**
 * Gathers what comes and hands it on once a frame; a page in the background has no frames, so
 * there a timer does it.
 */
export function createFrameBatch<Item>(flush: (items: readonly Item[]) => void): {
  readonly add: (item: Item) => void;
} {
  let items: Item[] = [];
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function run(): void {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    const batch = items;
    items = [];
    flush(batch);
  }

  return {
    add(item) {
      items.push(item);
      if (items.length > 1) return;
      frame = requestAnimationFrame(run);
      timer = setTimeout(run, 200);
    },
  };
}
