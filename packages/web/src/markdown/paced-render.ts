/** How long a growing text rests after each rendering, in times what that took: one part in five is spent. */
const restFactor = 4;
/** A rest that is shorter than a frame is none, in milliseconds. */
const frameMs = 16;

export interface PacedRender {
  /** The text changed: it is rendered now, or after the rest while it goes on growing. */
  readonly changed: (isGrowing: boolean) => void;
  readonly stop: () => void;
}

/**
 * Renders a text that grows as often as it can without holding the page up, however long it is and
 * however slow the machine. What is whole is rendered at once.
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
