import type { ApprovalView } from "@capstan/contract";
import { createMemo, For, onCleanup, onMount, Show } from "solid-js";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { ReviewCard } from "../approvals/review-card.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { KeyedFor } from "../shell/keyed-for.tsx";
import { useApp } from "../state/app-state.ts";
import { titleOf } from "../state/conversation-list.ts";
import { conversationHref } from "../state/route.ts";
import { inboxTexts } from "../texts/inbox.ts";
import { AnsweredNote } from "./answered-note.tsx";
import { AllowTogether } from "./allow-together.tsx";
import { NotificationSwitch } from "./notification-switch.tsx";
import "./inbox.css";

interface Group {
  /** The conversation, or null for the requests of programs. */
  readonly conversation: string | null;
  readonly requests: readonly ApprovalView[];
}

/** The pending requests of all chats, with the same cards as in the chats. */
export function InboxPanel(props: { readonly onOpenChat: () => void }) {
  const { inbox } = useApp();
  onMount(() => inbox.watch(true));
  onCleanup(() => inbox.watch(false));
  const groups = createMemo(() => {
    const byChat = Map.groupBy(inbox.waiting.value().approvals, (request) => request.conversation);
    return [...byChat].map(([conversation, requests]): Group => ({ conversation, requests }));
  });
  return (
    <div class="inbox stack">
      <p class="panel-text">{inboxTexts.about}</p>
      <Show when={inbox.waiting.error()}>
        {(message) => (
          <p class="notice danger" role="alert">
            {message()}
          </p>
        )}
      </Show>
      <Show when={inbox.waiting.isReady() && inbox.count() === 0}>
        <p class="empty" data-testid="inbox-empty">
          {inboxTexts.empty}
        </p>
      </Show>
      <For each={inbox.answered()}>{(approval) => <AnsweredNote approval={approval} />}</For>
      <KeyedFor each={groups()} by={({ conversation }) => conversation ?? ""}>
        {(group) => (
          <section class="inbox-group" data-testid="inbox-group">
            <GroupTitle conversation={group().conversation} onOpen={() => props.onOpenChat()} />
            <KeyedFor each={group().requests} by={({ id }) => id}>
              {(request) => <RequestCard request={request()} />}
            </KeyedFor>
          </section>
        )}
      </KeyedFor>
      <AllowTogether requests={inbox.waiting.value().approvals} />
      <For each={inbox.waiting.value().unknown}>
        {(run) => (
          <p class="inbox-unknown" data-testid="inbox-unknown">
            <ChatName conversation={run.conversation ?? ""} text={inboxTexts.unknown} />{" "}
            <a href={conversationHref(run.conversation ?? "")} onClick={() => props.onOpenChat()}>
              {inboxTexts.unknownAnswer}
            </a>
          </p>
        )}
      </For>
      <NotificationSwitch />
    </div>
  );
}

function RequestCard(props: { readonly request: ApprovalView }) {
  const execution = () => (props.request.kind === "execution" ? props.request : undefined);
  const result = () => (props.request.kind === "result" ? props.request : undefined);
  return (
    <>
      <Show when={execution()}>{(request) => <ApprovalCard approval={request()} />}</Show>
      <Show when={result()}>{(request) => <ReviewCard review={request()} />}</Show>
    </>
  );
}

function GroupTitle(props: { readonly conversation: string | null; readonly onOpen: () => void }) {
  return (
    <h3 class="inbox-chat">
      <Show when={props.conversation} fallback={inboxTexts.ofProgram}>
        {(conversation) => (
          <a
            href={conversationHref(conversation())}
            title={inboxTexts.openChat}
            onClick={() => props.onOpen()}
          >
            <ChatName conversation={conversation()} text={inboxTexts.ofChat} />
          </a>
        )}
      </Show>
    </h3>
  );
}

/** A sentence with the title of a chat. */
function ChatName(props: {
  readonly conversation: string;
  readonly text: (title: string) => string;
}) {
  const { conversations } = useApp();
  const title = () => {
    const found = conversations.all.value().find(({ id }) => id === props.conversation);
    return found === undefined ? props.conversation : titleOf(found);
  };
  return <VisibleText isLine text={props.text(title())} />;
}
