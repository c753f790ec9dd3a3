import type { ShareView } from "@capstan/contract";
import { createEffect, createSignal, Show } from "solid-js";
import { hasStatus } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { Button } from "../shell/button.tsx";
import { Dialog, DialogHead } from "../shell/overlays/dialog.tsx";
import { CopyButton } from "../shell/copy-button.tsx";
import { createAction } from "../state/action.ts";
import { attempt } from "../state/toasts.ts";
import { sharingTexts } from "../texts/sharing.ts";
import { shareAddress } from "./share-link.ts";
import "./sharing.css";
import { formatDateTime } from "../texts/numbers/date.ts";

/** Creates, replaces and revokes the link to a chat. */
export function ShareDialog(props: {
  readonly conversation: string;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      open={props.open}
      onClose={() => props.onClose()}
      class="share-dialog"
      labelledBy="share-title"
      testId="share-dialog"
    >
      <DialogHead
        id="share-title"
        title={sharingTexts.title}
        closeLabel={sharingTexts.close}
        closeTestId="close-share"
        onClose={() => props.onClose()}
      />
      <p>{sharingTexts.about}</p>
      <p class="soft">{sharingTexts.shown}</p>
      <Link conversation={props.conversation} />
    </Dialog>
  );
}

function Link(props: { readonly conversation: string }) {
  const [share, setShare] = createSignal<ShareView | null>();
  const [token, setToken] = createSignal<string | null>(null);
  const [includesCalls, setIncludesCalls] = createSignal(false);
  const working = createAction();
  createEffect(() => {
    void client.share(props.conversation).then(setShare, (thrown: unknown) => {
      if (hasStatus(thrown, 404)) setShare(null);
    });
  });
  const create = () =>
    attempt(sharingTexts.notCreated, async () => {
      const made = await client.createShare(props.conversation, {
        include_calls: includesCalls(),
      });
      setToken(made.token);
      setShare(made);
    });
  const revoke = () =>
    attempt(sharingTexts.notRevoked, async () => {
      await client.revokeShare(props.conversation);
      setToken(null);
      setShare(null);
    });
  const state = () => {
    const now = share();
    if (now === undefined) return "";
    return now === null
      ? sharingTexts.notShared
      : sharingTexts.sharedSince(formatDateTime(now.created_at));
  };
  return (
    <>
      <label class="share-option">
        <input
          type="checkbox"
          checked={includesCalls()}
          data-testid="share-calls"
          onChange={(event) => setIncludesCalls(event.currentTarget.checked)}
        />
        <span>
          {sharingTexts.includeCalls}
          <span class="soft share-note">{sharingTexts.includeCallsNote}</span>
        </span>
      </label>
      <Show when={token()}>
        {(made) => (
          <div class="share-link">
            <input
              class="field mono"
              readonly
              aria-label={sharingTexts.link}
              value={shareAddress(location.href, made())}
              data-testid="share-address"
              onFocus={(event) => event.currentTarget.select()}
            />
            <CopyButton
              text={() => Promise.resolve(shareAddress(location.href, made()))}
              label={sharingTexts.copy}
            />
          </div>
        )}
      </Show>
      <p class="soft" role="status" data-testid="share-state">
        {state()} <Show when={token()}>{sharingTexts.onlyNow}</Show>
      </p>
      <div class="flow share-actions">
        <Button
          look="primary"
          disabled={working.isBusy()}
          data-testid="create-share"
          onClick={() => void working.run(create)}
        >
          {share() ? sharingTexts.replace : sharingTexts.create}
        </Button>
        <Show when={share()}>
          <Button
            look="danger"
            disabled={working.isBusy()}
            data-testid="revoke-share"
            onClick={() => void working.run(revoke)}
          >
            {sharingTexts.revoke}
          </Button>
        </Show>
      </div>
    </>
  );
}
