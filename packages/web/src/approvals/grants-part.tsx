import type { CorruptView, GrantView } from "@capstan/contract";
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
import { approvalsTexts } from "../texts/approvals.ts";
import "./approvals.css";
import { formatDateTime } from "../texts/numbers/date.ts";

/** The list of saved approvals, which the user can revoke. */
export function GrantsPart() {
  const { chat } = useApp();
  const conversation = chat.conversationId;
  const grants = createLoaded<readonly GrantEntry[]>([], async () => {
    const id = conversation();
    if (id !== null) return client.grants(id);
    return (await client.grants()).filter(
      (grant) => grant.object === "corrupt" || grant.scope === "always",
    );
  });
  createEffect(
    on([conversation, chat.revision], ([id], before) => {
      if (before !== undefined && before[0] !== id) grants.clear();
      void grants.refresh();
    }),
  );

  const revoke = (grant: GrantEntry) =>
    attempt(approvalsTexts.grants.notRevoked, async () => {
      await client.revokeGrant(grant.id);
      grants.set((all) => all.filter(({ id }) => id !== grant.id));
      const tool = grantOf(grant)?.toolId;
      showToast({
        text:
          tool === undefined
            ? approvalsTexts.grants.revoked
            : approvalsTexts.grants.revokedOf(tool),
      });
    });

  return (
    <section class="grants-part" aria-labelledby="grants-title">
      <h3 id="grants-title" class="part-title">
        {approvalsTexts.grants.title}
      </h3>{" "}
      <p class="panel-text">{approvalsTexts.grants.about}</p>
      <ErrorNotice message={grants.error()} />
      <ul class="grants" aria-label={approvalsTexts.grants.title}>
        <KeyedFor
          each={grants.value()}
          by={({ id }) => id}
          fallback={
            <Show when={grants.isReady()}>
              <li class="empty" data-testid="no-grants">
                {approvalsTexts.grants.empty}
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

type GrantEntry = GrantView | CorruptView;

function grantOf(entry: GrantEntry): GrantView | undefined {
  return entry.object === "grant" ? entry : undefined;
}

function DamagedGrant(props: {
  readonly entry: GrantEntry;
  readonly onRevoke: () => Promise<unknown>;
}) {
  const message = () => (props.entry.object === "corrupt" ? props.entry.error.message : "");
  return (
    <li class="grant" data-testid="damaged-grant">
      <span class="tag bad">{approvalsTexts.grants.damaged}</span>{" "}
      <p class="grant-facts">
        {approvalsTexts.grants.damagedEffect} {message()}
      </p>{" "}
      <RevokeButton title={approvalsTexts.grants.damagedName} onRevoke={props.onRevoke} />
    </li>
  );
}

function untilText({ expiresAt }: GrantView): string {
  if (expiresAt === undefined) return approvalsTexts.grants.untilRevoked;
  const at = new Date(expiresAt);
  return approvalsTexts.grants.until(formatDateTime(at.getTime()));
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
          {isAllowed() ? approvalsTexts.grants.allowed : approvalsTexts.grants.rejected}
        </span>
        <strong>
          <VisibleText isLine text={props.grant.title} />
        </strong>
      </div>
      <p class="grant-facts">
        <code>{props.grant.toolId}</code> ·{" "}
        {props.grant.scope === "always"
          ? approvalsTexts.grants.everySession
          : approvalsTexts.grants.thisSession}{" "}
        ·{" "}
        {approvalsTexts.grants.by(
          props.grant.grantedBy === "local" ? approvalsTexts.grants.you : props.grant.grantedBy,
        )}{" "}
        · {formatAge(props.grant.createdAt, client.now())} ·{" "}
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
            {approvalsTexts.grants.reason} <VisibleText text={reason()} />
          </p>
        )}
      </Show>
      <Show when={props.grant.args}>
        {(args) => (
          <details>
            <summary>{approvalsTexts.grants.arguments}</summary>
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
      aria-label={approvalsTexts.grants.revokeLabel(visibleText(props.title))}
      data-testid="revoke-grant"
      onClick={() => void run(props.onRevoke)}
    >
      {approvalsTexts.grants.revoke}
    </Button>
  );
}
