import { createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { Icon } from "../shell/icon.tsx";

/** How near the end still counts as there, in px. */
const nearEnd = 60;

export interface ScrollerProps {
  /** Whether new content is followed; a page that explains itself begins at its top. */
  readonly follow: boolean;
  readonly children: JSX.Element;
}

/** Stays at the end while text comes, unless the reader went up. */
export function Scroller(props: ScrollerProps) {
  const [isAtEnd, setAtEnd] = createSignal(true);
  let frame!: HTMLDivElement;
  let content!: HTMLDivElement;

  const toEnd = () => {
    frame.scrollTop = frame.scrollHeight;
    setAtEnd(true);
  };
  let lastTop = 0;
  const onScroll = () => {
    const distance = frame.scrollHeight - frame.scrollTop - frame.clientHeight;
    // Growing content leaves the end behind without anyone scrolling: only going up lets go.
    if (distance < nearEnd) setAtEnd(true);
    else if (frame.scrollTop < lastTop) setAtEnd(false);
    lastTop = frame.scrollTop;
  };
  onMount(() => {
    const watcher = new ResizeObserver(() => {
      if (props.follow && isAtEnd()) toEnd();
    });
    watcher.observe(content);
    watcher.observe(frame);
    onCleanup(() => watcher.disconnect());
  });

  return (
    <div class="scroller-area">
      <div
        ref={(element) => (frame = element)}
        class="scroller"
        onScroll={onScroll}
        data-testid="scroller"
      >
        <div ref={(element) => (content = element)}>{props.children}</div>
      </div>
      <Show when={props.follow && !isAtEnd()}>
        <button type="button" class="to-end" aria-label="Jump to the end" onClick={toEnd}>
          <Icon name="arrowDown" />
        </button>
      </Show>
    </div>
  );
}
