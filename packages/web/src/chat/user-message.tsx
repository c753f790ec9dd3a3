import { createSignal, Show } from "solid-js";
import { IconButton } from "../shell/button.tsx";
import { CopyButton } from "../shell/copy-button.tsx";
import { Form, FormActions } from "../shell/form.tsx";
import { createAction } from "../state/action.ts";
import { useApp } from "../state/app-state.ts";
import { versionsOf } from "../state/branches.ts";
import type { LiveRun } from "../state/live-run.ts";
import { attempt } from "../state/toasts.ts";
import { chatTexts } from "../texts/chat.ts";
import type { Turn } from "./group-turns.ts";
import type { InputFile } from "../attachments/input-files.ts";
import { MessageFiles } from "../attachments/message-files.tsx";
import { canRepeat, repeatMessage, wholeMessage } from "./repeat-message.ts";

/** A message of the user, which can be copied and changed, and its other versions. */
export function UserMessage(props: { readonly turn: Turn<LiveRun> }) {
  const app = useApp();
  /** The text that is being changed, or null. */
  const [edited, setEdited] = createSignal<string | null>(null);
  const sending = createAction();
  const edit = () =>
    attempt(chatTexts.notLoaded, () =>
      wholeMessage(props.turn).then(({ text }) => setEdited(text)),
    );
  const copied = () => wholeMessage(props.turn).then(({ text }) => text);
  return (
    <Show
      when={edited() === null}
      fallback={
        <EditForm
          text={edited() ?? ""}
          onCancel={() => setEdited(null)}
          onSend={(text) =>
            void sending.run(async () => {
              if (await repeatMessage(app, props.turn, text)) setEdited(null);
            })
          }
          isBusy={sending.isBusy()}
        />
      }
    >
      <MessageContent text={props.turn.text} files={props.turn.files} />
      <div class="message-foot row">
        <Versions turn={props.turn} />
        <span class="message-actions row">
          <CopyButton text={copied} label={chatTexts.copyMessage} />
          <Show when={canRepeat(app, props.turn)}>
            <IconButton
              look="small"
              icon="edit"
              size={15}
              label={chatTexts.edit}
              title={chatTexts.editTitle}
              data-testid="edit-message"
              onClick={() => void edit()}
            />
          </Show>
        </span>
      </div>
    </Show>
  );
}

/** The text and the files of a message. */
export function MessageContent(props: {
  readonly text: string;
  readonly files: readonly InputFile[];
}) {
  return (
    <>
      <Show when={props.files.length > 0}>
        <MessageFiles files={props.files} />
      </Show>
      <Show when={props.text !== ""}>
        <div class="user-message breaks" dir="auto" data-testid="user-message">
          <span class="visually-hidden">{chatTexts.turn.youSaid} </span>
          {props.text}
        </div>
      </Show>
    </>
  );
}

interface EditFormProps {
  readonly text: string;
  readonly isBusy: boolean;
  readonly onSend: (text: string) => void;
  readonly onCancel: () => void;
}

function EditForm(props: EditFormProps) {
  const [text, setText] = createSignal(props.text);
  return (
    <Form
      class="edit-message"
      aria-label={chatTexts.edit}
      onEscape={() => props.onCancel()}
      onSubmit={() => text().trim() !== "" && props.onSend(text())}
    >
      <textarea
        ref={(field) => queueMicrotask(() => field.focus())}
        aria-label={chatTexts.composer.message}
        rows={Math.min(12, props.text.split("\n").length + 1)}
        value={text()}
        data-testid="edit-field"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="faint">{chatTexts.editNote}</p>
      <FormActions
        isBusy={props.isBusy || text().trim() === ""}
        word={chatTexts.composer.send}
        testId="send-edited"
        onCancel={() => props.onCancel()}
      />
    </Form>
  );
}

/** Arrows that show the branches which begin with the other versions of a message. */
function Versions(props: { readonly turn: Turn<LiveRun> }) {
  const { chat } = useApp();
  const versions = () => {
    const first = props.turn.runs[0];
    return first === undefined ? [] : versionsOf(chat.runs(), first);
  };
  const index = () => versions().findIndex(({ view }) => view.id === props.turn.id);
  const show = (step: number) => {
    const other = versions()[index() + step];
    if (other !== undefined) chat.showBranch(other.view.id);
  };
  return (
    <Show when={versions().length > 1}>
      <span class="versions row faint" role="group" aria-label={chatTexts.versions.label}>
        <IconButton
          look="small turned"
          icon="chevron"
          size={14}
          label={chatTexts.versions.previous}
          disabled={index() <= 0}
          data-testid="previous-version"
          onClick={() => show(-1)}
        />
        <span data-testid="version">
          {chatTexts.versions.place(index() + 1, versions().length)}
        </span>
        <IconButton
          look="small"
          icon="chevron"
          size={14}
          label={chatTexts.versions.next}
          disabled={index() >= versions().length - 1}
          data-testid="next-version"
          onClick={() => show(1)}
        />
      </span>
    </Show>
  );
}
