import { createMemo, createSignal, For, Show } from "solid-js";
import { client } from "../api/client.ts";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { OutcomeCard } from "../approvals/outcome-card.tsx";
import { ReviewCard } from "../approvals/review-card.tsx";
import type { LiveRun } from "../state/live-run.ts";
import { formatCount } from "../texts/numbers/count.ts";
import { argumentsLine, plainArgumentsLine } from "../format/json-text.ts";
import { hasEnded } from "../run/run-state.ts";
import { ContentParts } from "../shell/content-parts.tsx";
import { Icon } from "../shell/icon.tsx";
import { useApp } from "../state/app-state.ts";
import { attempt } from "../state/toasts.ts";
import { CallDetails } from "./call-details.tsx";
import { callBadge } from "./call-badge.ts";
import { CallProgress } from "./call-progress.tsx";
import { CallTime } from "./call-time.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { IconButton } from "../shell/button.tsx";
import { callsTexts } from "../texts/calls.ts";
import "./calls.css";

/** One call of the timeline: name, state, time and tokens; the details unfold. */
export function CallRow(props: { readonly run: LiveRun; readonly callId: string }) {
  const { isExpert } = useApp();
  const [isOpen, setOpen] = createSignal(false);
  const call = createMemo(() => props.run.state().calls[props.callId]);

  return (
    <Show when={call()}>
      {(known) => {
        const face = () => callBadge(known(), hasEnded(props.run.state().phase));
        const isStoppable = () => known().phase === "running" && face().status === "running";
        const summary = () => {
          const { args, argumentsText } = known();
          if (args === null) return isExpert() ? argumentsText.slice(0, 160) : "";
          return isExpert() ? argumentsLine(args) : plainArgumentsLine(args);
        };
        const tokens = () => (isExpert() ? known().result?.tokens : undefined);
        const pictures = () => (known().result?.parts ?? []).filter(({ type }) => type === "image");
        const detailsId = () => `details-${props.run.view.id}-${props.callId}`;

        return (
          <li
            class={`call tone-${face().tone}`}
            data-testid="call-row"
            data-tool={known().name}
            data-status={face().status}
          >
            <div class="call-line row">
              <button
                type="button"
                class="call-toggle row grow bare"
                aria-expanded={isOpen()}
                aria-controls={detailsId()}
                data-testid="call-toggle"
                onClick={() => setOpen(!isOpen())}
              >
                <CallSign icon={face().icon} />
                <span class="call-title baseline">
                  <span class="call-name">
                    <VisibleText isLine text={known().name} />
                  </span>
                  <span class="call-status faint">{face().label}</span>
                </span>
                <span class="call-summary grow clipped">
                  <VisibleText isLine text={summary()} />
                </span>
                <CallTime call={known()} isRunning={isStoppable()} />
                <Show when={tokens()}>
                  {(count) => (
                    <span
                      class="call-tokens faint"
                      title={callsTexts.tokens(count().shown, count().withheld)}
                      data-testid="call-tokens"
                    >
                      {formatCount(count().shown)}
                      <Show when={count().withheld > 0}>
                        <span class="withheld"> {callsTexts.withheld(count().withheld)}</span>
                      </Show>
                      <span class="unit"> {callsTexts.tokenUnit}</span>
                    </span>
                  )}
                </Show>
                <span class="call-chevron">
                  <Icon name="chevron" size={16} />
                </span>
              </button>
              <Show when={isStoppable()}>
                <StopCall run={props.run.view.id} callId={props.callId} name={known().name} />
              </Show>
            </div>
            <CallProgress call={known()} isRunning={isStoppable()} />
            <Show when={!isOpen() && pictures().length > 0}>
              <div class="call-pictures">
                <ContentParts parts={pictures()} tool={known().name} />
              </div>
            </Show>
            <Show when={face().status === "asking" && known().approval}>
              {(approval) => <ApprovalCard approval={approval()} />}
            </Show>
            <Show when={face().status === "reviewing" && known().review}>
              {(review) => <ReviewCard review={review()} />}
            </Show>
            <Show when={known().status === "outcome_unknown"}>
              <OutcomeCard run={props.run.view.id} call={known()} />
            </Show>
            <Show when={isOpen()}>
              <CallDetails id={detailsId()} call={known()} />
            </Show>
            <Show when={known().children.length > 0}>
              <ol class="calls nested" aria-label={callsTexts.children(known().name)}>
                <For each={known().children}>{(id) => <CallRow run={props.run} callId={id} />}</For>
              </ol>
            </Show>
          </li>
        );
      }}
    </Show>
  );
}

function CallSign(props: { readonly icon: ReturnType<typeof callBadge>["icon"] }) {
  const name = () => (props.icon === "spinner" ? null : props.icon);
  return (
    <span class="call-sign">
      <Show when={name()} fallback={<span class="spinner" />}>
        {(icon) => <Icon name={icon()} size={16} />}
      </Show>
    </span>
  );
}

function StopCall(props: { readonly run: string; readonly callId: string; readonly name: string }) {
  const [isStopping, setStopping] = createSignal(false);
  const stop = async () => {
    setStopping(true);
    if (!(await attempt(callsTexts.notStopped, () => client.cancelCall(props.run, props.callId))))
      setStopping(false);
  };
  return (
    <IconButton
      look="small"
      icon="stop"
      size={16}
      label={callsTexts.stop(props.name)}
      title={callsTexts.stopTitle}
      disabled={isStopping()}
      data-testid="stop-call"
      onClick={() => void stop()}
    />
  );
}
