import type { ConversationMatch } from "@capstan/contract";
import { createEffect, createSignal, For, on, onCleanup, onMount, Show } from "solid-js";
import { formatAge } from "../format/duration.ts";
import { Icon } from "../shell/icon.tsx";
import { IconButton } from "../shell/button.tsx";
import { Dialog } from "../shell/overlays/dialog.tsx";
import { useApp } from "../state/app-state.ts";
import { createConversationSearch } from "../state/conversation-search.ts";
import { titleOf } from "../state/conversation-list.ts";
import { conversationsTexts } from "../texts/conversations.ts";
import "./search-dialog.css";

const texts = conversationsTexts.search;

/** A dialog that finds chats by their titles and messages. Ctrl+K opens it. */
export function SearchDialog(props: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog
      open={props.open}
      onClose={() => props.onClose()}
      class="search-dialog"
      label={texts.title}
      testId="search-dialog"
    >
      <Search onClose={() => props.onClose()} />
    </Dialog>
  );
}

function Search(props: { readonly onClose: () => void }) {
  const app = useApp();
  const { query, state, matches, search } = createConversationSearch();
  const [chosen, setChosen] = createSignal(0);
  let field!: HTMLInputElement;
  onMount(() => field.focus());
  createEffect(on(query, () => setChosen(0)));

  const open = (match: ConversationMatch) => {
    props.onClose();
    app.openAt(match.conversation.id, match.run);
  };
  const move = (step: number) => {
    const count = matches().length;
    if (count > 0) setChosen((now) => (now + step + count) % count);
    queueMicrotask(() =>
      document.getElementById(optionId(chosen()))?.scrollIntoView({ block: "nearest" }),
    );
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const match = matches()[chosen()];
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && match !== undefined) open(match);
    else return;
    event.preventDefault();
  };

  return (
    <>
      <div class="search-field row">
        <Icon name="search" />
        <input
          ref={(element) => (field = element)}
          type="text"
          role="combobox"
          aria-label={texts.field}
          aria-expanded={matches().length > 0}
          aria-controls="search-matches"
          aria-activedescendant={matches().length > 0 ? optionId(chosen()) : undefined}
          placeholder={texts.field}
          maxlength="500"
          autocomplete="off"
          data-testid="search-field"
          onInput={(event) => search(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <IconButton look="small" icon="close" label={texts.close} onClick={() => props.onClose()} />
      </div>
      <ul id="search-matches" role="listbox" aria-label={texts.title} class="search-matches">
        <For each={matches()}>
          {(match, index) => (
            <li
              id={optionId(index())}
              role="option"
              class="search-match"
              aria-selected={index() === chosen()}
              data-testid="search-match"
              onPointerMove={() => setChosen(index())}
              onClick={() => open(match)}
            >
              <span class="row">
                <span class="grow clipped">{titleOf(match.conversation)}</span>
                <span class="faint">{formatAge(match.conversation.updated_at, Date.now())}</span>
              </span>
              <Show when={match.found_in !== "title"}>
                <span class="search-excerpt dim" dir="auto">
                  <Marked text={match.text} places={match.matches} />
                </span>
              </Show>
            </li>
          )}
        </For>
      </ul>
      <p class="search-note faint" role="status" data-testid="search-note">
        {noteOf(state(), matches().length)}
      </p>
    </>
  );
}

const optionId = (index: number) => `search-match-${index}`;

function noteOf(
  state: ReturnType<ReturnType<typeof createConversationSearch>["state"]>,
  count: number,
): string {
  if (state.type === "empty") return texts.hint;
  if (state.type === "loading") return texts.searching;
  if (state.type === "failed") return texts.failed(state.message);
  if (!state.isComplete) return texts.incomplete;
  return count === 0 ? texts.nothing : texts.found(count);
}

/** A text with its matching words marked. */
function Marked(props: {
  readonly text: string;
  readonly places: readonly (readonly [number, number])[];
}) {
  const pieces = () => {
    const all: { readonly text: string; readonly isMarked: boolean }[] = [];
    let at = 0;
    for (const [from, to] of props.places) {
      all.push({ text: props.text.slice(at, from), isMarked: false });
      all.push({ text: props.text.slice(from, to), isMarked: true });
      at = to;
    }
    return [...all, { text: props.text.slice(at), isMarked: false }];
  };
  return (
    <For each={pieces()}>{({ text, isMarked }) => (isMarked ? <mark>{text}</mark> : text)}</For>
  );
}

/** Opens the search with Ctrl+K or, on a Mac, with Command+K. */
export function bindSearchKey(open: () => void): void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey) return;
    if (!(event.ctrlKey || event.metaKey) || event.isComposing) return;
    if (document.querySelector("dialog[open]") !== null) return;
    event.preventDefault();
    open();
  };
  document.addEventListener("keydown", onKey);
  onCleanup(() => document.removeEventListener("keydown", onKey));
}
