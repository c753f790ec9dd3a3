import type { ConnectionView } from "@capstan/contract";
import { createSignal, For, Show } from "solid-js";
import { client } from "../api/client.ts";
import { Button } from "../shell/button.tsx";
import { ErrorText } from "../shell/error-text.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { createAction } from "../state/action.ts";
import { showToast } from "../state/toasts.ts";
import { connectionsTexts as texts } from "../texts/connections.ts";
import { ConnectionTools } from "./connection-tools.tsx";
import { KeyForm } from "./key-form.tsx";
import { goToSignIn } from "./return-from-sign-in.ts";
import { formatList } from "../texts/numbers/count.ts";

/** One connection: its state, its access, its tools, and the user's actions. */
export function ConnectionItem(props: {
  readonly view: ConnectionView;
  readonly onChange: () => Promise<void>;
}) {
  const [isOpen, setOpen] = createSignal(false);
  const [isAsked, setAsked] = createSignal(false);
  const [isEnteringKey, setEnteringKey] = createSignal(false);
  const { isBusy, error, run } = createAction();
  const name = () => props.view.name;
  const change = (work: () => Promise<unknown>) =>
    void run(async () => {
      await work();
      await props.onChange();
    });
  const signOut = () =>
    change(async () => {
      const shared = props.view.credential?.shared === true;
      const { revoked } = await client.removeCredential(name(), { shared });
      showToast({ text: revoked === false ? texts.notRevoked : texts.signedOut });
    });
  /** The first click asks for a confirmation, and the second one removes the connection. */
  const remove = () => {
    if (!isAsked()) return void setAsked(true);
    change(async () => {
      await client.removeConnection(name());
      showToast({ text: texts.removed(name()) });
    });
  };
  const isOwn = () => props.view.source === "user";
  const reachable = () => props.view.enabled && props.view.type !== "program";
  const needsSignIn = () => props.view.state === "needs_sign_in";

  return (
    <section class="connection" data-testid="connection" data-name={name()}>
      <div class="spread">
        <h3 class="connection-name breaks">{name()}</h3>
        <span
          class="pill"
          classList={{ warning: needsSignIn() || props.view.state === "needs_acceptance" }}
          data-testid="connection-state"
        >
          {texts.states[props.view.state]}
        </span>
      </div>
      <p class="soft breaks connection-server">
        <VisibleText isLine text={props.view.server} />
      </p>
      <Show when={props.view.private}>
        <p class="soft" data-testid="connection-private">
          {texts.private}
        </p>
      </Show>
      <Show when={!isOwn()}>
        <p class="soft">{texts.ofConfiguration}</p>
      </Show>
      <Show when={props.view.missing.length > 0}>
        <p>{texts.missing(formatList(props.view.missing))}</p>
      </Show>
      <Show when={props.view.credential}>
        {(credential) => (
          <p data-testid="connection-access">
            {[
              texts.access[credential().type],
              ...(credential().issuer === null ? [] : [texts.at(credential().issuer ?? "")]),
              ...(credential().shared ? [texts.forAll] : []),
            ].join(" ")}
          </p>
        )}
      </Show>
      <Show when={props.view.error}>
        {(message) => (
          <p class="notice danger breaks" data-testid="connection-failure">
            <VisibleText text={message()} />
          </p>
        )}
      </Show>
      <For each={props.view.notes}>
        {(note) => (
          <p class="soft breaks">
            <VisibleText text={note} />
          </p>
        )}
      </For>
      <ErrorText class="field-error" message={error()} testId="connection-error" />
      <div class="connection-actions">
        <Show when={reachable() && props.view.type === "http"}>
          <Button
            look={needsSignIn() ? "primary small" : "small"}
            disabled={isBusy()}
            data-testid="sign-in"
            onClick={() => void run(() => goToSignIn(name()))}
          >
            {props.view.credential === null ? texts.signIn : texts.signInAgain}
          </Button>
        </Show>
        <Show when={props.view.credential !== null}>
          <Button look="small" disabled={isBusy()} data-testid="sign-out" onClick={signOut}>
            {texts.signOut}
          </Button>
        </Show>
        <Show when={reachable()}>
          <Button
            look="small"
            data-testid="enter-key"
            onClick={() => setEnteringKey(!isEnteringKey())}
          >
            {texts.key.enter}
          </Button>
        </Show>
        <Show when={props.view.enabled}>
          <Button
            look="small"
            disabled={isBusy()}
            data-testid="check-connection"
            onClick={() => change(() => client.checkConnection(name()))}
          >
            {texts.check}
          </Button>
          <Button look="small" data-testid="show-tools" onClick={() => setOpen(!isOpen())}>
            {`${isOpen() ? texts.hide : texts.show} (${texts.tools(props.view.tools)})`}
          </Button>
        </Show>
        <Show when={isOwn()}>
          <Button
            look="small"
            disabled={isBusy()}
            data-testid="switch-connection"
            onClick={() =>
              change(() => client.changeConnection(name(), { enabled: !props.view.enabled }))
            }
          >
            {props.view.enabled ? texts.switchOff : texts.switchOn}
          </Button>
          <Button look="small danger" disabled={isBusy()} data-testid="remove" onClick={remove}>
            {isAsked() ? texts.confirmRemove(name()) : texts.remove}
          </Button>
        </Show>
      </div>
      <Show when={isEnteringKey()}>
        <KeyForm
          name={name()}
          onSaved={async () => {
            setEnteringKey(false);
            await props.onChange();
          }}
          onCancel={() => setEnteringKey(false)}
        />
      </Show>
      <Show when={isOpen() || props.view.waiting.length > 0}>
        <ConnectionTools view={props.view} isOpen={isOpen()} onChange={props.onChange} />
      </Show>
    </section>
  );
}
