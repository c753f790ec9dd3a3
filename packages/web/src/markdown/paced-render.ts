/** How long a growing text rests after each rendering, in times what that took: one part in five is spent. */
const restFactor = 4;
/** The shortest rest between two renderings: one frame, in milliseconds. */
const frameMs = 16;

export interface PacedRender {
  /** Renders the changed text now, or after the rest if it still grows. */
  readonly changed: (isGrowing: boolean) => void;
  readonly stop: () => void;
}

/**
 * Renders a growing text as often as possible without blocking the page, for any length of text and
 * speed of machine. A complete text is rendered at once.
 */
export function pacedRender(render: () => void, now = () => performance.now()): PacedRender {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let restUntil = 0;

  function run(): void {
    clearTimeout(timer);
    timer = undefined;
    const started = now();
    render();
    const ended = now();
    restUntil = ended + (ended - started) * restFactor;
  }

  return {
    changed(isGrowing) {
      const rest = restUntil - now();
      if (!isGrowing || rest < frameMs) run();
      else timer ??= setTimeout(run, rest);
    },
    stop: () => clearTimeout(timer),
  };
}
