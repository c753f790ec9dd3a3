import { createSignal, createUniqueId, For, Show } from "solid-js";
import { Icon, type IconName } from "../icon.tsx";
import { IconButton } from "../button.tsx";
import { placePopover } from "./place-popover.ts";
import "./menu.css";

/** An entry of a menu. */
export interface MenuItem {
  readonly icon: IconName;
  readonly text: string;
  readonly testId?: string;
  readonly isDanger?: boolean;
  readonly run: () => void;
}

/** A button that opens a list of actions. Arrow keys select an action, Escape closes the list. */
export function Menu(props: {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly testId: string;
}) {
  const id = createUniqueId();
  const [isOpen, setOpen] = createSignal(false);
  let list!: HTMLDivElement;
  let button!: HTMLButtonElement;

  const entries = () => [...list.querySelectorAll<HTMLButtonElement>("button")];
  const onToggle = (event: ToggleEvent) => {
    setOpen(event.newState === "open");
    if (event.newState !== "open") return;
    queueMicrotask(() => {
      placePopover(button, list, "right");
      entries()[0]?.focus();
    });
  };
  const move = (step: number) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    all[(at + step + all.length) % all.length]?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Tab" || event.key === "Escape") {
      list.hidePopover();
      button.focus();
    } else return;
    event.preventDefault();
  };

  return (
    <>
      <IconButton
        ref={(element: HTMLButtonElement) => (button = element)}
        look="small"
        icon="more"
        size={16}
        label={props.label}
        aria-haspopup="menu"
        aria-expanded={isOpen()}
        popovertarget={id}
        data-testid={props.testId}
      />
      <div
        ref={(element) => (list = element)}
        id={id}
        popover="auto"
        role="menu"
        class="menu"
        aria-label={props.label}
        on:toggle={onToggle}
        on:keydown={onKey}
      >
        <Show when={isOpen()}>
          <For each={props.items}>
            {(item) => (
              <button
                type="button"
                role="menuitem"
                class="menu-item row"
                classList={{ danger: item.isDanger === true }}
                data-testid={item.testId}
                onClick={() => {
                  list.hidePopover();
                  item.run();
                }}
              >
                <Icon name={item.icon} size={16} /> <span>{item.text}</span>
              </button>
            )}
          </For>
        </Show>
      </div>
    </>
  );
}
