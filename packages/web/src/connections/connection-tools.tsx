import type { ConnectionDetail, ConnectionView } from "@capstan/contract";
import { visibleParts } from "@capstan/core/text";
import { createEffect, For, on, Show } from "solid-js";
import { client } from "../api/client.ts";
import { Button } from "../shell/button.tsx";
import { ErrorNotice, ErrorText } from "../shell/error-text.tsx";
import { VisibleDiff } from "../shell/visible-diff.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { createAction } from "../state/action.ts";
import { createLoaded } from "../state/loaded.ts";
import { showToast } from "../state/toasts.ts";
import { connectionsTexts as texts } from "../texts/connections.ts";
import { definitionText, lineDiff } from "./definition-diff.ts";

/** The tools of a connection, and the changes that a user must accept. */
export function ConnectionTools(props: {
  readonly view: ConnectionView;
  readonly isOpen: boolean;
  readonly onChange: () => Promise<void>;
}) {
  const detail = createLoaded<ConnectionDetail | null>(null, () =>
    client.connection(props.view.name),
  );
  // Each check creates a new view.
  createEffect(
    on(
      () => props.view,
      () => void detail.refresh(),
    ),
  );
  const { isBusy, error, run } = createAction();
  const changes = () => {
    const { added = [], changed = [] } = detail.value()?.changes ?? {};
    return [
      ...changed.map(({ from, to }) => ({
        name: to.name,
        kind: texts.changed,
        diff: lineDiff(definitionText(from), definitionText(to)),
      })),
      ...added.map((tool) => ({
        name: tool.name,
        kind: texts.added,
        diff: lineDiff("", definitionText(tool)),
      })),
    ];
  };
  const accept = (digest: string) =>
    void run(async () => {
      await client.acceptConnection(props.view.name, { digest });
      showToast({ text: texts.accepted });
      await props.onChange();
    });
  return (
    <div class="connection-tools">
      <ErrorNotice message={detail.error()} />
      <Show when={changes().length > 0}>
        <h4>{texts.changes}</h4>
        <p class="soft">{texts.changesAbout}</p>
        <For each={changes()}>
          {({ name, kind, diff }) => (
            <div data-testid="tool-change">
              <p>
                <strong>{kind}</strong> <VisibleText isLine text={name} />
              </p>
              <pre class="connection-diff" tabindex="0">
                <VisibleDiff parts={visibleParts(diff)} />
              </pre>
            </div>
          )}
        </For>
        <ErrorText class="field-error" message={error()} />
        <Button
          look="primary small"
          disabled={isBusy() || detail.value() === null}
          data-testid="accept-tools"
          onClick={() => accept(detail.value()?.digest ?? "")}
        >
          {texts.accept}
        </Button>
      </Show>
      <Show when={props.isOpen}>
        <ul class="connection-list">
          <For each={detail.value()?.definitions ?? []}>
            {(tool) => (
              <li data-testid="connection-tool">
                <strong>
                  <VisibleText isLine text={tool.name} />
                </strong>
                <p class="soft breaks">
                  <VisibleText text={tool.description} />
                </p>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </div>
  );
}
