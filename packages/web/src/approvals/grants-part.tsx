import type { DamagedView, GrantView } from "@capstan/contract";
import { visibleJson, visibleText } from "@capstan/core/text";
import { createEffect, on, Show } from "solid-js";
import { client } from "../api/client.ts";
import { useApp } from "../state/app-state.ts";
import { formatAge } from "../format/duration.ts";
import { KeyedFor } from "../shell/keyed-for.tsx";
import { createLoaded } from "../state/loaded.ts";
import { attempt, showToast } from "../state/toasts.ts";
import { WholeArguments } from "./arguments-view.tsx";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { createAction } from "../state/action.ts";
import "./approvals.css";

/** What a person said that holds for more than one call, and a way to take it back. */
export function GrantsPart() {
  const { chat } = useApp();
  const conversation = () => chat.conversation()?.id ?? null;
  const grants = createLoaded<readonly GrantEntry[]>([], async () => {
    const id = conversation();
    if (id !== null) return client.grants(id);
    return (await client.grants()).filter(
      (grant) => grant.object === "damaged" || grant.scope === "always",
    );
  });
  createEffect(
    on([conversation, chat.revision], ([id], before) => {
      if (before !== undefined && before[0] !== id) grants.clear();
      void grants.refresh();
    }),
  );

  const revoke = (grant: GrantEntry) =>
    attempt("Not revoked", async () => {
      await client.revokeGrant(grant.id);
      grants.set((all) => all.filter(({ id }) => id !== grant.id));
      const tool = grantOf(grant)?.toolId;
      showToast({ text: tool === undefined ? "Revoked." : `Revoked. ${tool} asks again.` });
    });

  return (
    <section class="grants-part" aria-labelledby="grants-title">
      <h3 id="grants-title" class="part-title">
        What you allowed
      </h3>
      <p class="panel-text">
        Your answers that hold for more than one call. Take one back, and the tool asks again.
      </p>
      <ErrorNotice message={grants.error()} />
      <ul class="grants" aria-label="What you allowed">
        <KeyedFor
          each={grants.value()}
          by={({ id }) => id}
          fallback={
            <Show when={grants.isReady()}>
              <li class="empty" data-testid="no-grants">
                Nothing yet: every call that has to ask, asks.
              </li>
            </Show>
          }
        >
          {(entry) => (
            <Show
              when={grantOf(entry())}
              fallback={<DamagedGrant entry={entry()} onRevoke={() => revoke(entry())} />}
            >
              {(grant) => <GrantItem grant={grant()} onRevoke={() => revoke(grant())} />}
            </Show>
          )}
        </KeyedFor>
      </ul>
    </section>
  );
}

type GrantEntry = GrantView | DamagedView;

function grantOf(entry: GrantEntry): GrantView | undefined {
  return entry.object === "grant" ? entry : undefined;
}

function DamagedGrant(props: {
  readonly entry: GrantEntry;
  readonly onRevoke: () => Promise<unknown>;
}) {
  const message = () => (props.entry.object === "damaged" ? props.entry.error.message : "");
  return (
    <li class="grant" data-testid="damaged-grant">
      <span class="tag bad">damaged</span>
      <p class="grant-facts">It allows nothing. {message()}</p>
      <RevokeButton title="a damaged grant" onRevoke={props.onRevoke} />
    </li>
  );
}

function untilText({ expiresAt }: GrantView): string {
  if (expiresAt === undefined) return "until it is revoked";
  const at = new Date(expiresAt);
  return `until ${at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}`;
}

function GrantItem(props: {
  readonly grant: GrantView;
  readonly onRevoke: () => Promise<unknown>;
}) {
  const isAllowed = () => props.grant.verdict === "allow";
  return (
    <li class="grant" data-testid="grant" data-tool={props.grant.toolId}>
      <div class="grant-head breaks baseline">
        <span class="tag" classList={{ good: isAllowed(), bad: !isAllowed() }}>
          {isAllowed() ? "allowed" : "refused"}
        </span>
        <strong>
          <VisibleText isLine text={props.grant.title} />
        </strong>
      </div>
      <p class="grant-facts">
        <code>{props.grant.toolId}</code> ·{" "}
        {props.grant.scope === "always" ? "in every session" : "in this session"} · by{" "}
        {props.grant.grantedBy === "local" ? "you" : props.grant.grantedBy} ·{" "}
        {formatAge(props.grant.createdAt, client.now())} ·{" "}
        <span data-testid="grant-until">{untilText(props.grant)}</span>
      </p>
      <Show when={props.grant.match.type === "pattern" ? props.grant.match.when : undefined}>
        {(when) => (
          <pre class="grant-pattern breaks">
            <VisibleText text={visibleJson(when())} />
          </pre>
        )}
      </Show>
      <Show when={props.grant.reason}>
        {(reason) => (
          <p class="grant-facts">
            Reason: <VisibleText text={reason()} />
          </p>
        )}
      </Show>
      <Show when={props.grant.args}>
        {(args) => (
          <details>
            <summary>The arguments it was given for</summary>
            <WholeArguments args={args()} />
          </details>
        )}
      </Show>
      <RevokeButton title={props.grant.title} onRevoke={props.onRevoke} />
    </li>
  );
}

function RevokeButton(props: {
  readonly title: string;
  readonly onRevoke: () => Promise<unknown>;
}) {
  const { isBusy, run } = createAction();
  return (
    <Button
      look="small"
      disabled={isBusy()}
      aria-label={`Revoke: ${visibleText(props.title)}`}
      data-testid="revoke-grant"
      onClick={() => void run(props.onRevoke)}
    >
      Revoke
    </Button>
  );
}
