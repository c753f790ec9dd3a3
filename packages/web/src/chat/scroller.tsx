import { createEffect, createSignal, on, onCleanup, onMount, Show, type JSX } from "solid-js";
import { Icon } from "../shell/icon.tsx";
import { chatTexts } from "../texts/chat.ts";

/** The view is at the end if it is within this many pixels of it. */
const nearEnd = 60;

export interface ScrollerProps {
  /** Whether the view follows new content; the welcome page stays at its top. */
  readonly follow: boolean;
  /** The view moves to the end when this becomes true. */
  readonly toEnd: boolean;
  /** The id of an element that the view shows until the user scrolls; null for none. */
  readonly shown: string | null;
  readonly children: JSX.Element;
}

/** A scroll container that stays at the end while text arrives, unless the user scrolled up. */
export function Scroller(props: ScrollerProps) {
  const [isAtEnd, setAtEnd] = createSignal(true);
  let frame!: HTMLDivElement;
  let content!: HTMLDivElement;

  /** The element that stays in view while the content around it is rendered. */
  let held: string | null = null;
  const release = () => (held = null);
  const show = () => {
    if (held === null) return;
    setAtEnd(false);
    document.getElementById(held)?.scrollIntoView();
  };
  createEffect(() => {
    held = props.shown;
    show();
  });

  const toEnd = () => {
    release();
    frame.scrollTop = frame.scrollHeight;
    setAtEnd(true);
  };
  createEffect(
    on(
      () => props.toEnd,
      (wanted) => wanted && toEnd(),
      { defer: true },
    ),
  );
  let lastTop = 0;
  const onScroll = () => {
    const distance = frame.scrollHeight - frame.scrollTop - frame.clientHeight;
    // Growing content moves the end, not the view, so only scrolling up stops following.
    if (distance < nearEnd) setAtEnd(true);
    else if (frame.scrollTop < lastTop) setAtEnd(false);
    lastTop = frame.scrollTop;
  };
  onMount(() => {
    const watcher = new ResizeObserver(() => {
      if (held !== null) show();
      else if (props.follow && isAtEnd()) toEnd();
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
        onWheel={release}
        onPointerDown={release}
        onKeyDown={release}
        data-testid="scroller"
      >
        <div ref={(element) => (content = element)}>{props.children}</div>
      </div>
      <Show when={props.follow && !isAtEnd()}>
        <button type="button" class="to-end" aria-label={chatTexts.toEnd} onClick={toEnd}>
          <Icon name="arrowDown" />
        </button>
      </Show>
    </div>
  );
}
