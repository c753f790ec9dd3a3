import type { AppState } from "../state/app-state.ts";
import { maxAttachments } from "../state/attachments.ts";
import { showToast } from "../state/toasts.ts";
import { chatTexts } from "../texts/chat.ts";

/** A pasted text with more UTF-16 code units becomes a file. */
const longestPaste = 20_000;

/** Adds files to the next message, and shows a notice if the message is full. */
export function attachFiles({ attachments }: AppState, files: readonly File[]): void {
  const leftOut = attachments.add(files);
  if (leftOut > 0)
    showToast({ text: chatTexts.attachments.tooMany(maxAttachments, leftOut), tone: "danger" });
}

/** Attaches pasted files, and a long text as a file. Other pastes are left to the field. */
export function attachPasted(app: AppState, event: ClipboardEvent): void {
  const files = [...(event.clipboardData?.files ?? [])];
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (files.length > 0 && text === "") {
    event.preventDefault();
    attachFiles(app, files);
  } else if (text.length > longestPaste) {
    event.preventDefault();
    attachFiles(app, [new File([text], chatTexts.attachments.pastedName, { type: "text/plain" })]);
  }
}
