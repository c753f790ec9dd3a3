import { For, Match, Show, Switch } from "solid-js";
import { formatBytes } from "../texts/numbers/count.ts";
import { IconButton } from "../shell/button.tsx";
import { Icon } from "../shell/icon.tsx";
import { StoredPicture } from "../shell/stored-file.tsx";
import { useApp } from "../state/app-state.ts";
import type { Attachment } from "../state/attachments.ts";
import { chatTexts } from "../texts/chat.ts";
import "./attachments.css";

/** The files of the next message, with the state of their uploads. */
export function AttachmentList() {
  const { attachments } = useApp();
  return (
    <Show when={attachments.list().length > 0}>
      <ul class="attachments flow" aria-label={chatTexts.attachments.list}>
        <For each={attachments.list()}>{(file) => <AttachmentItem file={file} />}</For>
      </ul>
    </Show>
  );
}

function AttachmentItem(props: { readonly file: Attachment }) {
  const { attachments } = useApp();
  const failure = () => {
    const { upload } = props.file;
    return upload.status === "failed" ? upload.message : null;
  };
  const picture = () => {
    const { upload, isImage } = props.file;
    return isImage && upload.status === "ready" ? upload.fileId : null;
  };
  return (
    <li
      class="attachment row"
      classList={{ danger: failure() !== null }}
      data-testid="attachment"
      data-status={props.file.upload.status}
      title={failure() ?? props.file.name}
    >
      <Switch fallback={<Icon name="file" size={16} />}>
        <Match when={props.file.upload.status === "uploading"}>
          <span class="spinner" role="status" aria-label={chatTexts.attachments.uploading} />
        </Match>
        <Match when={picture()}>
          {(id) => <StoredPicture fileId={id()} label={props.file.name} />}
        </Match>
      </Switch>
      <span class="attachment-name">{props.file.name}</span>
      <span class="faint">{failure() ?? formatBytes(props.file.bytes)}</span>
      <Show when={failure()}>
        <IconButton
          look="small"
          icon="retry"
          size={14}
          label={chatTexts.attachments.retry(props.file.name)}
          onClick={() => attachments.retry(props.file.key)}
        />
      </Show>
      <IconButton
        look="small"
        icon="close"
        size={14}
        label={chatTexts.attachments.remove(props.file.name)}
        onClick={() => attachments.remove(props.file.key)}
      />
    </li>
  );
}
