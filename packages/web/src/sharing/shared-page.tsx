import { createClient } from "@capstan/client";
import type { SharedCall, SharedConversation, SharedMessage } from "@capstan/contract";
import { visibleText } from "@capstan/core/text";
import { createSignal, For, Match, onMount, Show, Switch } from "solid-js";
import { hasStatus, messageOf } from "../api/api-error.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { Logo } from "../shell/logo.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { sharingTexts } from "../texts/sharing.ts";
import "./sharing.css";
import { formatDate } from "../texts/numbers/date.ts";

const texts = sharingTexts.page;

/** A chat that a link shows. It can only be read, and needs no key of this server. */
export function SharedPage(props: { readonly token: string }) {
  const [chat, setChat] = createSignal<SharedConversation>();
  const [failure, setFailure] = createSignal("");
  onMount(() => {
    createClient({ key: () => props.token })
      .shared()
      .then((found) => {
        setChat(found);
        document.title = visibleText(found.title) || sharingTexts.untitled;
      })
      .catch((thrown: unknown) => {
        setFailure(hasStatus(thrown, 404) ? texts.missing : texts.failed(messageOf(thrown)));
      });
  });
  return (
    <main class="shared-page" data-testid="shared-page">
      <Switch fallback={<p role="status">{texts.loading}</p>}>
        <Match when={failure() !== ""}>
          <p role="alert" data-testid="shared-failure">
            {failure()}
          </p>
        </Match>
        <Match when={chat()}>
          {(found) => (
            <>
              <header>
                <h1 dir="auto">{found().title || sharingTexts.untitled}</h1>
                <p class="soft">{texts.asOf(formatDate(found().created_at))}</p>
              </header>
              <For each={found().parts}>
                {(part) =>
                  part.type === "call" ? <Call call={part} /> : <Message message={part} />
                }
              </For>
            </>
          )}
        </Match>
      </Switch>
      <footer class="soft row">
        <Logo size={18} /> {texts.made}
      </footer>
    </main>
  );
}

function Message(props: { readonly message: SharedMessage }) {
  const isUser = () => props.message.role === "user";
  return (
    <article classList={{ "shared-user": isUser() }} data-testid={`shared-${props.message.role}`}>
      <h2 class="visually-hidden">{isUser() ? texts.user : texts.assistant}</h2>
      <Show
        when={isUser()}
        fallback={
          <div dir="auto">
            <Markdown text={props.message.text} />
          </div>
        }
      >
        <p class="breaks shared-text" dir="auto">
          {props.message.text}
        </p>
      </Show>
      <Show when={props.message.files.length > 0}>
        <ul class="shared-files soft" aria-label={texts.files}>
          <For each={props.message.files}>{(name) => <li>{name}</li>}</For>
        </ul>
      </Show>
    </article>
  );
}

function Call(props: { readonly call: SharedCall }) {
  const hasDetails = () => props.call.input !== undefined || props.call.output !== undefined;
  return (
    <Show
      when={hasDetails()}
      fallback={<p class="shared-call soft">{texts.call(props.call.name)}</p>}
    >
      <details class="shared-call" data-testid="shared-call">
        <summary class="soft">{texts.call(props.call.name)}</summary>
        <Show when={props.call.input}>
          {(text) => <CallText label={texts.received} text={text()} />}
        </Show>
        <Show when={props.call.output}>
          {(text) => <CallText label={texts.returned} text={text()} />}
        </Show>
      </details>
    </Show>
  );
}

function CallText(props: { readonly label: string; readonly text: string }) {
  return (
    <>
      <h3 class="soft">{props.label}</h3>
      <pre class="mono breaks">
        <VisibleText text={props.text} />
      </pre>
    </>
  );
}
