import { createSignal, type JSX, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { chatTexts } from "../texts/chat.ts";
import { attachFiles } from "./attach-files.ts";

/** The chat as a target for files that are dragged onto the page. */
export function DropArea(props: { readonly children: JSX.Element }) {
  const app = useApp();
  const [isOver, setOver] = createSignal(false);
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  return (
    <div
      class="drop-area"
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        attachFiles(app, [...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {props.children}
      <Show when={isOver()}>
        <p class="drop-note">{chatTexts.attachments.drop}</p>
      </Show>
    </div>
  );
}
