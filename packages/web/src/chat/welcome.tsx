import { For, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { toolNamesOn } from "../state/switches.ts";
import { Button } from "../shell/button.tsx";
import { Icon } from "../shell/icon.tsx";
import { Logo } from "../shell/logo.tsx";
import { sendMessage } from "./send-message.ts";
import { promptSuggestions } from "./prompt-suggestions.ts";
import { chatTexts } from "../texts/chat.ts";

/** The start page of an empty chat: two lines about Capstan and three suggested prompts. */
export function Welcome() {
  const app = useApp();
  const { catalog, chat } = app;
  const starters = () =>
    promptSuggestions(catalog.isOffline(), toolNamesOn(catalog.groups.value(), chat.switches()));

  return (
    <section class="welcome row" data-testid="welcome">
      <Logo size={64} />
      <h2>{chatTexts.welcome.title}</h2>
      <p class="welcome-text">
        {chatTexts.welcome.about}
        <br />
        {/* The line is empty until the model is loaded. */}
        <Show when={catalog.models.isReady()} fallback={"\u00a0"}>
          {catalog.isOffline() ? chatTexts.welcome.offline : chatTexts.welcome.online}
        </Show>
      </p>
      <Show when={catalog.models.isReady() && catalog.groups.isReady()}>
        <ul class="starters" aria-label={chatTexts.welcome.suggestions}>
          <For each={starters()}>
            {(starter) => (
              <li>
                <button
                  type="button"
                  class="starter stack"
                  data-testid="starter"
                  disabled={chat.sending() !== null}
                  onClick={() => void sendMessage(app, starter.text)}
                >
                  <strong>{starter.title}</strong>
                  <span class="starter-text breaks" classList={{ command: catalog.isOffline() }}>
                    {starter.text}
                  </span>
                  <Icon name="send" size={16} />
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={catalog.isOffline() && catalog.info.value()?.providers === true}>
        <Button look="primary" data-testid="add-model" onClick={() => app.showSettings("models")}>
          <Icon name="spark" size={16} /> {chatTexts.welcome.addModel}
        </Button>
      </Show>
      <Show when={catalog.model()}>
        {(model) => (
          <p class="welcome-model">
            {model().title} · {model().reason}
          </p>
        )}
      </Show>
    </section>
  );
}
