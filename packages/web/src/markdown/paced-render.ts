/**
 * The pause after a rendering, as a multiple of its duration: rendering takes one fifth of the
 * time.
 */
const restFactor = 4;
/** The shortest pause between two renderings: one frame, in milliseconds. */
const frameMs = 16;

export interface PacedRender {
  /** Renders the changed text now, or after the pause if it is still growing. */
  readonly changed: (isGrowing: boolean) => void;
  readonly stop: () => void;
}

/**
 * Renders a growing text as often as possible without blocking the page, for any text length and
 * machine speed. A complete text is rendered immediately.
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
