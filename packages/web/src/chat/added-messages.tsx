import { For, onMount, Show } from "solid-js";
import { client } from "../api/client.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { CopyButton } from "../shell/copy-button.tsx";
import { ErrorNotice } from "../shell/error-text.tsx";
import type { LiveRun } from "../state/live-run.ts";
import { createLoaded } from "../state/loaded.ts";
import { chatTexts } from "../texts/chat.ts";
import { inputMessages } from "./group-turns.ts";
import { MessageContent } from "./user-message.tsx";

/** Messages of both sides that were added to the chat, for example by an import. */
export function AddedMessages(props: { readonly run: LiveRun }) {
  const { view } = props.run;
  // Load long messages, because the list of runs contains only a part of them.
  const input = createLoaded<readonly unknown[]>(view.input, () => client.runInput(view.id));
  onMount(() => {
    if (view.input_cut) void input.refresh();
  });
  return (
    <>
      <ErrorNotice message={input.error()} />
      <For each={inputMessages(input.value())}>
        {({ role, text }) => (
          <Show when={role === "assistant"} fallback={<MessageContent text={text} files={[]} />}>
            <div class="answer" data-testid="added-answer">
              <Markdown text={text} />
            </div>
            <div class="turn-foot flow">
              <CopyButton text={text} label={chatTexts.copyAnswer} />
            </div>
          </Show>
        )}
      </For>
    </>
  );
}
