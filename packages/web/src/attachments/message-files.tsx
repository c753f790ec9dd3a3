import { For, Show } from "solid-js";
import { Icon } from "../shell/icon.tsx";
import { StoredFile, StoredPicture } from "../shell/stored-file.tsx";
import type { InputFile } from "./input-files.ts";
import "./attachments.css";

/** The files of a message. Their buttons download them. */
export function MessageFiles(props: { readonly files: readonly InputFile[] }) {
  return (
    <ul class="message-files flow">
      <For each={props.files}>
        {(file) => (
          <li data-testid="message-file">
            <Show when={file.isImage && file.id} fallback={<Icon name="file" size={16} />}>
              {(id) => <StoredPicture fileId={id()} label={file.name} />}
            </Show>
            <Show when={file.id} fallback={<span>{file.name}</span>}>
              {(id) => <StoredFile fileId={id()} name={file.name} />}
            </Show>
          </li>
        )}
      </For>
    </ul>
  );
}
