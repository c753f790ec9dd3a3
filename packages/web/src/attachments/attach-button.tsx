import { IconButton } from "../shell/button.tsx";
import { useApp } from "../state/app-state.ts";
import { chatTexts } from "../texts/chat.ts";
import { attachFiles } from "./attach-files.ts";

/** A button that opens the browser's dialog to choose files for the next message. */
export function AttachButton() {
  const app = useApp();
  let field!: HTMLInputElement;
  return (
    <>
      <input
        ref={(element) => (field = element)}
        type="file"
        multiple
        hidden
        data-testid="attach-field"
        onChange={() => {
          attachFiles(app, [...(field.files ?? [])]);
          // Clear the field, so that the same file can be chosen again after it was removed.
          field.value = "";
        }}
      />
      <IconButton
        icon="attach"
        label={chatTexts.attachments.attach}
        title={chatTexts.attachments.attachTitle}
        data-testid="attach"
        onClick={() => field.click()}
      />
    </>
  );
}
