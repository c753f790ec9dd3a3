import { createMemo, Match, on, Show, Switch } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { ApprovalBar } from "../approvals/approval-bar.tsx";
import { KeyedFor } from "../shell/keyed-for.tsx";
import { Announcer } from "./announcer.tsx";
import { Composer } from "./composer.tsx";
import { DropArea } from "../attachments/drop-area.tsx";
import { groupTurns } from "./group-turns.ts";
import { QueuedMessages } from "./queued-messages.tsx";
import { Scroller } from "./scroller.tsx";
import { SendingTurn, turnId, TurnView } from "./turn-view.tsx";
import { Welcome } from "./welcome.tsx";
import { Button } from "../shell/button.tsx";
import { chatTexts } from "../texts/chat.ts";
import "./chat.css";

/** The conversation: its turns, and the field for the next one. */
export function ChatPage() {
  const app = useApp();
  const { chat } = app;
  const turns = createMemo(() => groupTurns(chat.branch()));
  /** The turn that a search opened. If a second search opens it, the view moves again. */
  const revealed = createMemo(
    on(chat.revealed, (run) => {
      const turn = turns().find(({ runs }) => runs.some(({ view }) => view.id === run));
      return turn === undefined ? null : turnId(turn.id);
    }),
    null,
    { equals: false },
  );
  const isEmpty = () =>
    chat.status().type === "ready" && turns().length === 0 && chat.sending() === null;
  const failure = () => {
    const status = chat.status();
    return status.type === "failed" ? status.message : null;
  };

  return (
    <DropArea>
      <Scroller follow={!isEmpty()} toEnd={chat.sending() !== null} shown={revealed()}>
        <main class="chat" aria-label={chatTexts.label}>
          <Show when={!isEmpty()}>
            <h2 class="visually-hidden">{chatTexts.messages}</h2>
          </Show>
          <Switch>
            <Match when={chat.status().type === "loading"}>
              <p class="notice" role="status">
                <span class="spinner" /> {chatTexts.opening}
              </p>
            </Match>
            <Match when={chat.status().type === "missing"}>
              <p class="notice" role="alert" data-testid="conversation-missing">
                {chatTexts.missing} <a href="#/">{chatTexts.startNew}</a>
              </p>
            </Match>
            <Match when={failure()}>
              {(message) => (
                <p class="notice danger" role="alert">
                  {message()}{" "}
                  <Button onClick={() => void chat.reload()}>{chatTexts.tryAgain}</Button>
                </p>
              )}
            </Match>
            <Match when={isEmpty()}>
              <Welcome />
            </Match>
          </Switch>
          <KeyedFor each={turns()} by={({ id }) => id}>
            {(turn) => <TurnView turn={turn()} />}
          </KeyedFor>
          <Show when={chat.sending()}>{(message) => <SendingTurn message={message()} />}</Show>
        </main>
      </Scroller>
      <div class="chat-foot">
        <ApprovalBar />
        <QueuedMessages />
        <Composer />
      </div>
      <Announcer />
    </DropArea>
  );
}
