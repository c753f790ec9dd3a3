import { createSignal, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { formatDuration } from "../format/duration.ts";
import { Icon } from "../shell/icon.tsx";
import { failureAdvice } from "./failure-advice.ts";
import type { LiveRun } from "../state/live-run.ts";
import { Button } from "../shell/button.tsx";
import { chatTexts } from "../texts/chat.ts";

/** Shows why a turn did not complete, with the server's message and advice. */
export function RunFailure(props: { readonly run: LiveRun; readonly canRetry: boolean }) {
  const app = useApp();
  const { catalog, chat } = app;
  const [isRetrying, setRetrying] = createSignal(false);
  const error = () => props.run.state().error;
  const advice = () => failureAdvice(props.run.state().phase, error());
  const isLatest = () => props.canRetry && chat.runs().at(-1) === props.run;

  const retry = async () => {
    setRetrying(true);
    await chat.retry(props.run, catalog.model()?.id ?? props.run.view.model);
    setRetrying(false);
  };

  return (
    <Show when={advice()}>
      {(found) => (
        <div
          class="failure box at-top"
          classList={{ danger: found().tone === "danger" }}
          role="alert"
          data-testid="run-failure"
          data-code={error()?.code ?? props.run.state().phase}
        >
          <Icon name={found().tone === "danger" ? "alert" : "stop"} />
          <div class="failure-text grow">
            <strong>{found().title}</strong>
            <Show when={found().tone === "danger" && error()?.message}>
              {(message) => <p class="failure-message breaks">{message()}</p>}
            </Show>
            <p>
              {found().advice}
              <Show when={error()?.retryAfterMs}>
                {(wait) => <> {chatTexts.retryAfter(formatDuration(wait()))}</>}
              </Show>
            </p>
          </div>
          <Show when={error()?.code === "authentication"}>
            <Button data-testid="open-model-settings" onClick={() => app.showSettings("models")}>
              <Icon name="sliders" size={16} /> {chatTexts.setKey}
            </Button>
          </Show>
          <Show when={isLatest()}>
            <Button
              disabled={isRetrying() || chat.active() !== null}
              data-testid="retry"
              onClick={() => void retry()}
            >
              <Icon name="retry" size={16} /> {found().retry}
            </Button>
          </Show>
        </div>
      )}
    </Show>
  );
}
