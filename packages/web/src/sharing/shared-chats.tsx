import type { ShareView } from "@capstan/contract";
import { createSignal, For, onMount, Show } from "solid-js";
import { client } from "../api/client.ts";
import { Button } from "../shell/button.tsx";
import { useApp } from "../state/app-state.ts";
import { conversationHref } from "../state/route.ts";
import { attempt } from "../state/toasts.ts";
import { sharingTexts } from "../texts/sharing.ts";
import "./sharing.css";
import { formatDate } from "../texts/numbers/date.ts";

/** The user's shared chats, whose links can be revoked. */
export function SharedChats() {
  const app = useApp();
  const [shares, setShares] = createSignal<readonly ShareView[]>([]);
  onMount(() => void client.shares().then(setShares, () => {}));
  const revoke = (conversation: string) =>
    attempt(sharingTexts.notRevoked, async () => {
      await client.revokeShare(conversation);
      setShares((all) => all.filter((share) => share.conversation !== conversation));
    });
  const isOff = () => app.catalog.info.value()?.sharing === false;
  return (
    <Show
      when={shares().length > 0}
      fallback={
        <p class="setting-about" data-testid="no-shares">
          {isOff() ? sharingTexts.listOff : sharingTexts.listNone}
        </p>
      }
    >
      <ul class="shared-chats">
        <For each={shares()}>
          {(share) => (
            <li class="spread" data-testid="shared-chat">
              <span class="clipped">
                <a href={conversationHref(share.conversation)}>
                  {share.title || sharingTexts.untitled}
                </a>{" "}
                <span class="soft">{sharingTexts.since(formatDate(share.created_at))}</span>
              </span>
              <Button look="danger" onClick={() => void revoke(share.conversation)}>
                {sharingTexts.revoke}
              </Button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
